import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { connect, isIPv6 } from 'node:net';
import { type DnsQuestion, type DnsReply, decodeReply, encodeQuery, replyId } from './wire.ts';

/** Back-off after a server did not respond at all. */
const pauseMs = 5000;

/** Client of one DNS server. */
export type Upstream = {
  /** False during the back-off, and while one question probes the server after it. */
  isUp(): boolean;
  /** Queries by UDP, then by TCP where the answer was truncated. Null without an answer in `ms`; `alive`: any response came. */
  ask(question: DnsQuestion, ms: number): Promise<{ reply: DnsReply | null; alive: boolean }>;
};

/** `address` is `host:port` or `[v6]:port`, as node:dns writes servers; the port may be left out. */
export function createUpstream(address: string, now: () => number): Upstream {
  const server = parseServer(address);
  let downUntil = 0;
  return {
    isUp: () => now() >= downUntil,
    async ask(question, ms) {
      const deadline = now() + ms;
      // One question at a time probes a server after its back-off.
      if (downUntil > 0) downUntil = deadline;
      const { reply, alive } = await askByUdp(server, question, ms);
      downUntil = alive ? 0 : now() + pauseMs;
      if (reply?.kind !== 'truncated') return { reply, alive };
      return { reply: await askByTcp(server, question, deadline - now()), alive };
    },
  };
}

type Server = { host: string; port: number };

function parseServer(address: string): Server {
  const [, v6, v4 = address, port = '53'] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(address) ?? [];
  return { host: v6 ?? v4, port: Number(port) };
}

/** Sends from a random port, chosen by the system, with a random id, against forged answers (RFC 5452 section 9.2). */
function askByUdp({ host, port }: Server, question: DnsQuestion, ms: number) {
  const id = randomInt(0x10000);
  const rootId = (id + randomInt(1, 0x10000)) & 0xffff;
  const query = encodeQuery(id, question);
  const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4');
  return new Promise<{ reply: DnsReply | null; alive: boolean }>((resolve) => {
    let alive = false;
    const end = (reply: DnsReply | null) => {
      clearTimeout(half);
      clearTimeout(full);
      socket.removeAllListeners().on('error', () => {});
      socket.close();
      resolve({ reply, alive });
    };
    const half = setTimeout(() => {
      socket.send(query);
      // A server that is slow to resolve one name answers this at once; silence to both means that it is down.
      socket.send(encodeQuery(rootId, { name: '', type: 'NS' }));
    }, ms / 2);
    const full = setTimeout(() => end(null), ms);
    socket.on('message', (bytes) => {
      const reply = decodeReply(bytes, id, question);
      alive ||= reply !== null || replyId(bytes) === rootId;
      if (reply !== null) end(reply);
    });
    socket.on('error', () => end(null));
    // A connected socket receives datagrams from this server only, and ICMP errors where nobody listens.
    socket.connect(port, host, () => socket.send(query));
  });
}

/** Queries by TCP: each message follows its length in two octets (RFC 7766). */
function askByTcp({ host, port }: Server, question: DnsQuestion, ms: number): Promise<DnsReply | null> {
  const id = randomInt(0x10000);
  const query = encodeQuery(id, question);
  const socket = connect(port, host);
  return new Promise((resolve) => {
    let received = Buffer.alloc(0);
    const end = (reply: DnsReply | null) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(reply);
    };
    const timer = setTimeout(() => end(null), ms);
    socket.on('data', (piece) => {
      received = Buffer.concat([received, piece]);
      const length = received.length < 2 ? Number.POSITIVE_INFINITY : received.readUInt16BE();
      if (received.length - 2 >= length) end(decodeReply(received.subarray(2, 2 + length), id, question));
    });
    socket.on('error', () => end(null));
    socket.on('close', () => end(null));
    socket.write(Buffer.from([query.length >> 8, query.length & 0xff]));
    socket.end(query);
  });
}
