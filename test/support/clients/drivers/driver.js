// Calls the client in the folder of its argument, as the lines of standard input say. See languages.ts beside this folder.
import { createInterface } from 'node:readline';

const { sandpost, SandpostError } = await import(`${process.argv[2]}/index.js`);
let server;
let inbox;

async function call(word, given) {
  if (word === 'server') {
    const [url, key, domain] = given;
    server = sandpost({ url, key, domain });
    return '';
  }
  if (word === 'inbox') {
    inbox = await server.inbox(...given);
    return inbox.address;
  }
  const named = given.map((one) => /^([a-z]+)(~?)=(.*)$/s.exec(one));
  const { kind, name, within, settle, count, after, ...conditions } = Object.fromEntries(
    named.map(([, name, isPattern, value]) => [name, isPattern ? new RegExp(value) : value]),
  );
  const numbers = Object.entries({ within, settle, count }).filter(([, value]) => value !== undefined);
  const options = Object.fromEntries(numbers.map(([name, value]) => [name, Number(value)]));
  if (after !== undefined) conditions.after = (await inbox.mails()).find(({ id }) => id === Number(after));
  if (word === 'none') return (await inbox.none(conditions, options)) ?? '';
  if (word === 'mails') return (await inbox.mails(conditions, options)).map(({ id }) => id).join('\n');
  const mail = await inbox.wait(conditions, options);
  return word === 'wait' ? String(mail.id) : mail[word](...[kind, name].filter((one) => one !== undefined));
}

for await (const line of createInterface(process.stdin)) {
  const [word, ...given] = line.split('\t');
  try {
    console.log(`ok ${Buffer.from(await call(word, given)).toString('hex')}`);
  } catch (error) {
    if (!(error instanceof SandpostError)) throw error;
    console.log(`error ${Buffer.from(error.message).toString('hex')}`);
  }
}
