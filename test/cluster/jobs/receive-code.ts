import { address, get, headers, mailer, print, sender, url } from './client.ts';

type Message = {
  id: number;
  codes: { value: string }[];
  spf: { result: string };
  envelope: { remote_address: string };
};

/** Acts as a team's test: sends as the application would, waits, reads the code, and prints the results. */
const stream = await fetch(`${url}/api/events`, { headers });
await mailer.sendMail({
  from: sender,
  to: address,
  subject: 'Welcome',
  text: 'Your code is 493817. It is valid for ten minutes.',
});
const list = await get(`/api/messages?to=${encodeURIComponent(address)}&wait=60`);
const { items } = (await list.json()) as { items: { id: number }[] };
const message = (await (await get(`/api/messages/${items[0]?.id}`)).json()) as Message;
print({
  wait: list.headers.get('x-wait-result'),
  id: message.id,
  codes: message.codes.map(({ value }) => value),
  spf: message.spf.result,
  remote: message.envelope.remote_address,
  frame: await firstMessage(stream),
});
process.exit();

/** Returns the data of the first frame about a message. */
async function firstMessage({ body }: Response): Promise<unknown> {
  let text = '';
  for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += piece;
    const found = /event: new-message\ndata: (.*)\n\n/.exec(text)?.[1];
    if (found !== undefined) return JSON.parse(found);
  }
  throw new Error(`the stream ended: ${text}`);
}
