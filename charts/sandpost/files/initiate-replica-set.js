// Starts the replica set of one member and creates the user that Sandpost signs in as. mongosh runs this in a pod of its
// own. Signs in with the members' shared key, as members do among themselves (user __system of the database local): there is
// no other user yet, and MongoDB admits unknown clients only from within the member's own pod. Safe to repeat.
const key = fs.readFileSync('/etc/mongodb/keyfile', 'utf8').trim();
const password = fs.readFileSync('/etc/mongodb/password', 'utf8').trim();
const member = process.env.MEMBER;
const options = 'authSource=local&authMechanism=SCRAM-SHA-256&directConnection=true&serverSelectionTimeoutMS=3000';
const deadline = Date.now() + 300_000;

/** Repeats `attempt` for up to five minutes, until it returns a value. */
function until(what, attempt) {
  for (;;) {
    let reason = 'not yet';
    try {
      const found = attempt();
      if (found) return found;
    } catch (error) {
      reason = error.message;
    }
    if (Date.now() > deadline) throw new Error(`waited for ${what}: ${reason}`);
    print(`waiting for ${what}: ${reason}`);
    sleep(1000);
  }
}

const admin = until('MongoDB', () => {
  const db = new Mongo(`mongodb://__system:${key}@${member}/?${options}`).getDB('admin');
  db.runCommand({ ping: 1 });
  return db;
});

/** Runs a command. Returns its result, or null where it fails with an error of this name. */
function run(command, known) {
  try {
    // Keep the result in a variable: mongosh awaits a call only where its result is kept, and errors are caught only there.
    const result = admin.runCommand(command);
    return result;
  } catch (error) {
    if (error.codeName === known) return null;
    throw error;
  }
}

if (run({ replSetGetStatus: 1 }, 'NotYetInitialized') === null) {
  admin.runCommand({ replSetInitiate: { _id: 'rs0', members: [{ _id: 0, host: member }] } });
  print(`replica set rs0 started on ${member}`);
}
until('the primary', () => admin.runCommand({ hello: 1 }).isWritablePrimary);

const user = { pwd: password, roles: [{ role: 'readWrite', db: 'sandpost' }] };
// 51003: a user of that name exists. Its password is set to that of the Secret.
const made = until('the user', () => {
  try {
    admin.getSiblingDB('sandpost').runCommand({ createUser: 'sandpost', ...user });
    return 'made';
  } catch (error) {
    if (error.code !== 51003) throw error;
    admin.getSiblingDB('sandpost').runCommand({ updateUser: 'sandpost', ...user });
    return 'there';
  }
});
print(`user sandpost is ${made}`);
