import type { DatabaseSync } from 'node:sqlite';
import { readFacts, takeNewIds } from '#adapters/stores/rows/facts.ts';
import { runSync, type Steps } from '#adapters/stores/rows/steps.ts';
import { writeRows } from '#adapters/stores/rows/writes.ts';
import { rowDriver } from '#adapters/stores/sqlite/rows/driver.ts';
import { changes } from '#core/all-changes.ts';
import type { Scope } from '#core/change.ts';

export type ChangeWrites = {
  change(name: string, scope: Scope): unknown;
};

export function changeWrites(db: DatabaseSync): ChangeWrites {
  const run = rowDriver(db);
  const now = <Result>(steps: Steps<Result>) => runSync(steps, run);
  return {
    change(name, scope) {
      const change = changes.get(name);
      if (change === undefined) throw new TypeError(`no change ${name}`);
      const facts = now(readFacts(change.needs, scope, now(takeNewIds(change.needs))));
      const { writes, result } = change.plan(facts, scope as never);
      now(writeRows(writes));
      return result;
    },
  };
}
