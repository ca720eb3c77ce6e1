import { openMongoStore } from '#adapters/stores/mongo/open.ts';
import { openSqliteStore } from '#adapters/stores/sqlite/open.ts';
import { commandsOn } from '#test/support/program/command.ts';
import { onCluster, startProgram, temporaryDir } from '#test/support/program/program.ts';
import { type PeopledStore as Store, withPeople } from '#test/support/stores/people.ts';
import { saveFixture, uriOf } from './fixture.ts';
import { pictureOf } from './picture.ts';
import { fillWorld, removedTeam } from './world.ts';

/**
 * Creates the fixture of this program's store: `node test/each-store/upgrade/make-fixtures.ts sqlite-16`, and with
 * SANDPOST_TEST_STORE=mongodb `… mongodb-7`. Run it once for each released store version, with the released program.
 */
const [name = ''] = process.argv.slice(2);
if (!name.startsWith(onCluster ? 'mongodb-' : 'sqlite-'))
  throw new Error('name the fixture by store and version');

const dataDir = await temporaryDir();
const program = await startProgram({ SANDPOST_DATA_DIR: dataDir, SANDPOST_BASE_URL: 'http://sandpost.test' });
const world = await fillWorld(program);
const picture = await pictureOf(program, world);
const madeAt = Date.now();
await program.stop();
// Leaves soft-deleted rows, which the next start's upkeep removes.
const { err } = await (await commandsOn(dataDir))(`teams remove ${removedTeam}`);
if (err !== '') throw new Error(err);
await addRule(world.team);
await saveFixture(name, dataDir, { madeAt, world, picture });
process.exit(0);

/** Adds what only an operator creates. */
async function addRule(team: number): Promise<void> {
  const store: Store = onCluster
    ? withPeople(await openMongoStore({ uri: await uriOf(dataDir) }))
    : withPeople(await openSqliteStore({ dataDir }));
  await store.memberRules.put({ source: 'team-a/devs', team, role: 'member', email: null, group: 'devs' });
  await store.close();
}
