import { type LimitName, limits } from './limits.ts';

const byName = new Map<string, number>(
  Object.entries(limits).flatMap(([section, values]) =>
    Object.entries(values).map(([name, value]) => [`${section}.${name}`, value]),
  ),
);

export function limitOf(name: LimitName): number {
  const value = byName.get(name);
  if (value === undefined) throw new Error(`the limit ${name} does not exist`);
  return value;
}
