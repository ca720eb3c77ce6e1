import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { Contract, type Document } from '#test/support/clients/openapi.ts';
import { startProgram, temporaryDir } from '#test/support/program/program.ts';
import { deliver } from '#test/support/program/program-mail.ts';
import { createUser } from '#test/support/program/user.ts';

const cache = process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache');
const schemathesis = path.join(cache, 'sandpost/schemathesis/bin/schemathesis');

/** Omitted operations: the stream would delay the run, and ending the session or the key would end it. */
const leftOut = ['streamEvents', 'logout', 'deleteToken'].flatMap((id) => ['--exclude-operation-id', id]);

const options = [
  ['--max-examples', '12'],
  // A request that matches the schema still gets 422 if its name is taken.
  ['--exclude-checks', 'positive_data_acceptance'],
  // Two workers make Python 3.11 itself fail ("AST constructor recursion depth mismatch").
  ['--workers', '1'],
  ['--continue-on-failure', '--seed', '1'],
].flat();

/** Texts that a store or its query language might not accept. Random texts seldom contain them. */
const awkwardTexts = ['\u0000', 'a\u0000b', '(', '\\', '%_', '$where', '\u{1f600}', '\ufffe'];

/** Settings without waits, each of which could take up to two minutes. */
const settings = '[parameters]\n"query.wait" = 0\n';

test('Schemathesis finds no server error and no answer outside the OpenAPI document', {
  skip: existsSync(schemathesis) ? false : 'test/setup.sh, which installs Schemathesis, was not run',
}, async () => {
  await using program = await startProgram({ SANDPOST_RATE_LIMIT: '1000000' });
  const user = await createUser(program);
  await deliver(program, { to: user.address, attachments: [{ filename: 'a.txt', content: 'a' }] });
  const cwd = await temporaryDir();
  const configFile = path.join(cwd, 'schemathesis.toml');
  await writeFile(configFile, settings);
  const documentFile = path.join(cwd, 'openapi.json');
  const { document } = await Contract.of(program);
  await writeFile(documentFile, JSON.stringify(withoutWaits(withAwkwardTexts(document))));
  const target = [documentFile, '--url', program.baseUrl];
  const args = ['--config-file', configFile, 'run', ...target, '-H', `X-API-KEY: ${user.key}`];
  const child = spawn(schemathesis, [...args, ...options, ...leftOut], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => output.push(String(piece)));
  const code = await new Promise((resolve) => child.on('close', resolve));
  assert.equal(code, 0, output.join('').slice(-20_000));
  const unexpected = program.log.filter((line) => line.event === 'http.failed');
  assert.deepEqual(unexpected, []);
});

/** Adds each text to the document as an example of each text parameter. Schemathesis tries all examples. */
function withAwkwardTexts(document: Document): Document {
  const examples = Object.fromEntries(awkwardTexts.map((value, index) => [`text${index}`, { value }]));
  const copy = structuredClone(document);
  for (const { parameters = [] } of Object.values(copy.paths).flatMap((path) => Object.values(path))) {
    for (const parameter of parameters) {
      const { type, enum: values } = parameter.schema;
      if (parameter.in === 'query' && type === 'string' && values === undefined) {
        Object.assign(parameter, { examples });
      }
    }
  }
  return copy;
}

/** Sets each wait in a body to 0, as the settings do for waits in queries. */
function withoutWaits(document: Document): Document {
  const text = JSON.stringify(document, (name, value) =>
    name === 'wait' ? { type: 'integer', enum: [0] } : value,
  );
  return JSON.parse(text);
}
