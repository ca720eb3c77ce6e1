import { openMongoStore } from '#adapters/stores/mongo/open.ts';
import { openSqliteStore } from '#adapters/stores/sqlite/open.ts';
import { removeUser } from '#core/access/user-changes.ts';

/** Program for a process to be killed: opens a store, prints that, and removes a user. Arguments: store, its settings, ID. */
const [kind, settings = '', user] = process.argv.slice(2);
const store = await (kind === 'sqlite' ? openSqliteStore : openMongoStore)(JSON.parse(settings));
process.stdout.write('open\n');
await store.rows.change(removeUser, { user: Number(user), now: new Date() });
process.stdout.write('removed\n');
process.exit(0);
