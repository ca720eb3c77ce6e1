import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import type { Contender } from './servers.ts';

export type Listener = (messageId: string, atMs: number) => void;

/** Opens a server's live stream and calls `onMail` for each new message. Returns the function that closes it. */
export function followEvents(server: Contender, onMail: Listener): Promise<() => void> {
  return server.name === 'Sandpost' ? followStream(server, onMail) : followSocket(server, onMail);
}

/** Follows Sandpost's Server-Sent Events. */
async function followStream(server: Contender, onMail: Listener): Promise<() => void> {
  const { httpPort: port, headers, paths } = server;
  const request = get({ host: '127.0.0.1', port, path: paths.events, headers, agent: false });
  const [response]: [IncomingMessage] = (await once(request, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`${paths.events} answers ${response.statusCode}`);
  let text = '';
  response.setEncoding('utf8').on('data', (piece: string) => {
    const at = performance.now();
    const frames = (text + piece).split('\n\n');
    text = frames.pop() ?? '';
    for (const frame of frames) {
      const data = /^event: new-message\ndata: (.*)$/m.exec(frame)?.[1];
      if (data) onMail(String(JSON.parse(data).id), at);
    }
  });
  response.on('error', () => {});
  return () => request.destroy();
}

/** Follows Mailpit's WebSocket, on which it announces new mail. */
async function followSocket(server: Contender, onMail: Listener): Promise<() => void> {
  const socket = new WebSocket(`ws://127.0.0.1:${server.httpPort}${server.paths.events}`);
  socket.addEventListener('message', ({ data }) => {
    const at = performance.now();
    const message: { Type: string; Data: { ID: string } } = JSON.parse(String(data));
    if (message.Type === 'new') onMail(message.Data.ID, at);
  });
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', () => reject(new Error('no WebSocket')));
  });
  return () => socket.close();
}
