import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { withoutChromium } from '#test/once/web/support/browser.ts';
import { copyClient, junit, without, withoutJunit } from '#test/support/clients/languages.ts';
import { pythonClients, withoutPythonClients } from '#test/support/clients/provider-clients.ts';
import { inBrowser, makeProject, withoutRunners } from '#test/support/clients/runner-project.ts';
import { type Shop, startShop } from '#test/support/clients/shop.ts';
import type { Process } from '#test/support/program/process.ts';
import { temporaryDir } from '#test/support/program/program.ts';
import { devOfAll } from '#test/support/program/scene.ts';

/** Number of runs, four at a time, of each docs/sign-up.md test, which its block names. */
const times = 20;
const wide = 4;
const blocks = Object.fromEntries(
  [...readFileSync('docs/sign-up.md', 'utf8').matchAll(/^```\w+ (\w+)\n([\s\S]*?)^```$/gm)].map(
    ([, name = '', lines = '']) => [name, lines],
  ),
);

let dev: Process;
let shop: Shop;
before(async () => {
  dev = await devOfAll();
  shop = await startShop(dev.ports.smtp);
});
after(() => shop.close());

const block = (name: string) => (blocks[name] ?? '').replaceAll('http://localhost:3000', shop.url);

/** Runs a command in a folder, up to `beside` times in parallel. Throws an error with its output if it fails. */
async function run(
  cwd: string,
  command: string,
  args: string[],
  beside = 1,
  more: Record<string, string> = {},
) {
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    SANDPOST_URL: `http://127.0.0.1:${dev.ports.http}`,
    ...more,
  };
  const one = () =>
    promisify(execFile)(command, args, { cwd, env }).catch((error) => {
      throw new Error(`${error.message}\n${error.stdout}`);
    });
  await Promise.all(Array.from({ length: beside }, one));
}

/** JUnit test with an address in each place that may have one. */
const parameters = `
import static org.junit.jupiter.api.Assertions.assertTrue;
import dev.sandpost.Sandpost.Inbox;
import dev.sandpost.SandpostExtension;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(SandpostExtension.class)
class ParametersTest {
    static String shared;
    final String own;
    String before;

    ParametersTest(Inbox inbox) { own = inbox.address; }
    @BeforeAll static void all(Inbox inbox) { shared = inbox.address; }
    @BeforeEach void each(Inbox inbox) { before = inbox.address; }

    @Test void named(Inbox inbox) {
        assertTrue(shared.startsWith("parameterstest-"), shared);
        assertTrue(own.startsWith("parameterstest-"), own);
        assertTrue(before.startsWith("named-"), before);
        assertTrue(inbox.address.startsWith("named-") && !inbox.address.equals(before), inbox.address);
    }
}
`;

/** Checks that each test run signed in one new user. */
async function signsUp(work: () => Promise<unknown>) {
  shop.signedIn.clear();
  await work();
  assert.equal(shop.signedIn.size, times);
}

test('Playwright', { skip: withoutRunners || withoutChromium }, () =>
  signsUp(async () => {
    const project = await makeProject(dev);
    const config = {
      fullyParallel: true,
      workers: wide,
      repeatEach: times,
      reporter: 'line',
      use: inBrowser,
    };
    await project.write('playwright.config.js', `export default ${JSON.stringify(config)};`);
    await project.write('sign-up.spec.ts', block('playwright'));
    const { code, output } = await project.run('playwright', ['test']);
    assert.equal(code, 0, output);
  }),
);

test('pytest', { skip: withoutPythonClients }, () =>
  signsUp(async () => {
    const folder = await copyClient('python');
    await writeFile(path.join(folder, 'test_sign_up.py'), block('pytest'));
    const two =
      'def test_two(inbox_factory):\n    assert inbox_factory("a").address != inbox_factory("a").address\n';
    await writeFile(path.join(folder, 'test_two.py'), two);
    const repeat = `def pytest_generate_tests(metafunc):
    metafunc.fixturenames.append("turn")
    metafunc.parametrize("turn", range(${times}))
`;
    await writeFile(path.join(folder, 'conftest.py'), repeat);
    const args = ['-m', 'pytest', '-q', '-n', `${wide}`, '-p', 'pytest_sandpost', '-p', 'no:cacheprovider'];
    await run(folder, pythonClients, args, 1, { PYTHONPATH: folder });
  }),
);

test('JUnit', { skip: withoutJunit }, () =>
  signsUp(async () => {
    const folder = await copyClient('java');
    const repeated = block('junit')
      .replace('api.Test;', 'api.RepeatedTest;')
      .replace('@Test', `@RepeatedTest(${times})`);
    await writeFile(path.join(folder, 'SignUpTest.java'), repeated);
    await writeFile(path.join(folder, 'Shop.java'), block('shop'));
    await writeFile(path.join(folder, 'ParametersTest.java'), parameters);
    const sources = [
      'ParametersTest.java',
      'Sandpost.java',
      'SandpostExtension.java',
      'SignUpTest.java',
      'Shop.java',
    ];
    await run(folder, 'javac', ['-cp', junit, '-d', 'classes', ...sources]);
    const parallel = {
      enabled: 'true',
      'mode.default': 'concurrent',
      'config.strategy': 'fixed',
      'config.fixed.parallelism': `${wide}`,
    };
    const settings = Object.entries(parallel).flatMap(([name, value]) => [
      '--config',
      `junit.jupiter.execution.parallel.${name}=${value}`,
    ]);
    const args = [
      'execute',
      '--class-path',
      'classes',
      '--select-class',
      'SignUpTest',
      '--select-class',
      'ParametersTest',
      '--details',
      'tree',
    ];
    await run(folder, 'java', ['-jar', junit, ...args, ...settings]);
  }),
);

test('Go', { skip: without({ tool: 'go' }) }, () =>
  signsUp(async () => {
    const folder = await temporaryDir();
    await copyClient('go', path.join(folder, 'sandpost'));
    const imports = ['io', 'net/http', 'net/url', 'strings', 'testing', 'shop/sandpost'];
    const head = `package shop\n\nimport (\n${imports.map((name) => `\t"${name}"\n`).join('')})\n\n`;
    await writeFile(path.join(folder, 'sign_up_test.go'), `${head}${block('go')}\n${block('page')}`);
    await writeFile(path.join(folder, 'go.mod'), 'module shop\n\ngo 1.23\n');
    await run(folder, 'go', ['test', '-c', '-o', 'sign-up', '.']);
    await run(folder, './sign-up', [`-test.count=${times / wide}`], wide);
  }),
);

test('shell', { skip: without({ tool: 'curl' }) }, () =>
  signsUp(async () => {
    const folder = await copyClient('shell');
    const PATH = `${folder}:${process.env.PATH}`;
    for (let turn = 0; turn < times / wide; turn += 1)
      await run(folder, 'sh', ['-c', block('shell')], wide, { PATH });
  }),
);

test('each test of the page is run', () => {
  assert.deepEqual(Object.keys(blocks), ['playwright', 'pytest', 'junit', 'shop', 'go', 'page', 'shell']);
});

test('each test of the page has at most 15 lines', () => {
  for (const name of ['playwright', 'pytest', 'junit', 'go', 'shell']) {
    const lines = (blocks[name] ?? '')
      .trim()
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('import '));
    assert.ok(lines.length <= 15, `${name} has ${lines.length} lines`);
  }
});
