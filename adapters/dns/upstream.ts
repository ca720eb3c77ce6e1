import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { createRequire } from 'node:module';
import { connect, isIPv6 } from 'node:net';
import type { Packet as DnsPacket } from 'dns2';

// Loads dns2's packets without its servers and clients, which load node:http2: 50 ms at the start of a thread.
const load = createRequire(import.meta.resolve('dns2'));
const Packet: typeof DnsPacket = load('./packet.js');

type Resource = InstanceType<typeof Packet.Resource>;

/** Values of the records of each type. */
export type DnsRecords = {
  A: string[];
  AAAA: string[];
  CNAME: string[];
  MX: { priority: number; exchange: string }[];
  PTR: string[];
  /** Character-strings of each record, not joined. */
  TXT: string[][];
};
export type DnsType = keyof DnsRecords;
export type DnsQuestion = { name: string; type: DnsType };

/**
 * Server's answer. `found` and `none` are definite, and valid for `ttl` seconds. `trouble` is a server error. The codes are node:dns's.
 */
export type DnsReply =
  | { kind: 'found'; records: Resource[]; ttl: number; octets: number }
  | { kind: 'none'; code: 'ENOTFOUND' | 'ENODATA'; ttl: number; octets: number }
  | { kind: 'truncated' }
  | { kind: 'trouble'; code: 'ESERVFAIL' | 'EREFUSED' | 'EBADRESP'; detail: string };

/** Cache lifetime of a failure to resolve a name (RFC 9520 section 3.2). */
export const troubleSeconds = 5;

/** Query for the root's name servers, used as a probe: every server answers or refuses it immediately. */
export type RootQuestion = { name: ''; type: 'NS' };

/** Back-off after a server did not respond at all. */
const pauseMs = 5000;

/** Delays after which a query is sent again. A server receives a query at most three times (RFC 9520 section 3.1). */
const againMs = [200, 1000];

/** Time without a response after which a server counts as down. */
const silenceMs = 2000;

/** UDP payload that passes every path without fragmentation (DNS Flag Day 2020). Larger answers arrive by TCP. */
const udpOctets = 1232;

export type Upstream = ReturnType<typeof createUpstream>;

/** Creates the client of one DNS server. `address` is `host:port` or `[v6]:port`, as in node:dns; the port is optional. */
export function createUpstream(address: string, now: () => number) {
  const server = parseServer(address);
  let downUntil = 0;
  return {
    /** False during the back-off, and then while one query probes the server. */
    isUp: () => now() >= downUntil,
    /**
     * Queries by UDP, then by TCP if the answer was truncated. `reply` is null if no answer arrived within `ms`; `alive`: any response
     * arrived.
     */
    async ask(question: DnsQuestion, ms: number): Promise<{ reply: DnsReply | null; alive: boolean }> {
      const deadline = now() + ms;
      // One query at a time probes a server after its back-off.
      if (downUntil > 0) downUntil = deadline;
      const { heard } = server;
      const reply = await askByUdp(server, question, ms);
      const alive = server.heard > heard;
      downUntil = alive ? 0 : now() + pauseMs;
      if (reply?.kind !== 'truncated') return { reply, alive };
      return { reply: await askByTcp(server, question, deadline - now()), alive };
    },
  };
}

/** `heard` counts the responses to any query. */
type Server = { host: string; port: number; heard: number };

function parseServer(address: string): Server {
  const [, v6, v4 = address, port = '53'] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(address) ?? [];
  return { host: v6 ?? v4, port: Number(port), heard: 0 };
}

/** Sends from a random port chosen by the system, with a random id, to prevent forged answers (RFC 5452 section 9.2). */
function askByUdp(server: Server, question: DnsQuestion, ms: number): Promise<DnsReply | null> {
  const { host, port, heard } = server;
  const id = randomInt(0x10000);
  const rootId = (id + randomInt(1, 0x10000)) & 0xffff;
  const query = encodeQuery(id, question);
  const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4');
  return new Promise((resolve) => {
    const end = (reply: DnsReply | null) => {
      for (const timer of timers) clearTimeout(timer);
      socket.removeAllListeners().on('error', () => {});
      socket.close();
      resolve(reply);
    };
    // A server that is slow to resolve a name still answers this query immediately. Silence to both queries means that it is down.
    const probe = () => socket.send(encodeQuery(rootId, { name: '', type: 'NS' }));
    const endIfSilent = () => server.heard === heard && end(null);
    const timers = [
      ...againMs.map((after) => setTimeout(() => socket.send(query), after)),
      setTimeout(probe, silenceMs / 2),
      setTimeout(endIfSilent, silenceMs),
      setTimeout(() => end(null), ms),
    ];
    socket.on('message', (bytes) => {
      const reply = decodeReply(bytes, id, question);
      if (reply !== null || replyId(bytes) === rootId) server.heard += 1;
      if (reply !== null) end(reply);
    });
    socket.on('error', () => end(null));
    // A connected socket receives only this server's datagrams, and ICMP errors if nobody listens.
    socket.connect(port, host, () => socket.send(query));
  });
}

/** Queries by TCP, where each message follows its length in two octets (RFC 7766). */
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

/** Checks whether a name can be queried: ASCII, labels of 1 to 63 octets, 253 in total (RFC 1035 section 2.3.4). */
export function isQueryable(name: string): boolean {
  return name.length <= 253 && name.split('.').every((label) => /^[\x20-\x7e]{1,63}$/.test(label));
}

/** Encodes a query with recursion desired and EDNS (RFC 6891). */
export function encodeQuery(id: number, { name, type }: DnsQuestion | RootQuestion): Buffer {
  const packet = new Packet();
  packet.header = new Packet.Header({ id, rd: 1 });
  packet.questions.push(new Packet.Question(name, Packet.TYPE[type], Packet.CLASS.IN));
  packet.additionals.push(Packet.Resource.EDNS([], { udpPayloadSize: udpOctets }));
  return packet.toBuffer();
}

/** Decodes a datagram or frame. Returns null if it does not answer the query (RFC 5452 section 9.1). */
export function decodeReply(bytes: Buffer, id: number, { name, type }: DnsQuestion): DnsReply | null {
  const packet = parse(bytes);
  if (packet === null || packet.header.qr !== 1 || packet.header.id !== id) return null;
  const [question, more] = packet.questions;
  if (question === undefined || more !== undefined) return null;
  if (!isSame(question.name, name) || question.type !== Packet.TYPE[type]) return null;
  if (packet.header.tc === 1) return { kind: 'truncated' };

  const { RCODE } = Packet;
  const { rcode } = packet.header;
  if (rcode === RCODE.SERVFAIL) return { kind: 'trouble', code: 'ESERVFAIL', detail: 'answered SERVFAIL' };
  if (rcode === RCODE.REFUSED) return { kind: 'trouble', code: 'EREFUSED', detail: 'refused to answer' };
  if (rcode !== RCODE.NOERROR && rcode !== RCODE.NXDOMAIN) {
    return { kind: 'trouble', code: 'EBADRESP', detail: `answered with code ${rcode}` };
  }
  if (packet.errors.some(({ section }) => section === 'answers')) {
    return { kind: 'trouble', code: 'EBADRESP', detail: 'sent an unreadable answer' };
  }
  const { records, ttl } = follow(packet.answers, name, Packet.TYPE[type]);
  const octets = bytes.length;
  if (records.length > 0) return { kind: 'found', records, ttl, octets };
  const code = rcode === RCODE.NXDOMAIN ? 'ENOTFOUND' : 'ENODATA';
  return { kind: 'none', code, ttl: Math.min(ttl, negativeTtl(packet.authorities)), octets };
}

/** Returns a datagram's id, or null if it is too short. */
export function replyId(bytes: Buffer): number | null {
  return bytes.length < Packet.HEADER_SIZE ? null : bytes.readUInt16BE(0);
}

/** Reads records into node:dns values, with names in lower case and without a trailing dot. */
export const readRecords: { [T in DnsType]: (records: Resource[]) => DnsRecords[T] } = {
  A: (records) => records.map(({ address }) => address ?? ''),
  AAAA: (records) => records.map(({ address }) => address ?? ''),
  CNAME: (records) => records.map(({ domain }) => (domain ?? '').toLowerCase()),
  MX: (records) =>
    records.map(({ priority, exchange }) => ({
      priority: priority ?? 0,
      exchange: (exchange ?? '').toLowerCase(),
    })),
  PTR: (records) => records.map(({ domain }) => (domain ?? '').toLowerCase()),
  TXT: (records) => records.map(({ data }) => (Array.isArray(data) ? data : [String(data)])),
};

function parse(bytes: Buffer): DnsPacket | null {
  try {
    return Packet.parse(bytes);
  } catch {
    return null;
  }
}

/** Follows the CNAME chain from `name` to the records of a type, with the chain's lowest TTL. */
function follow(answers: Resource[], name: string, type: number) {
  let owner = name;
  let ttl = Number.POSITIVE_INFINITY;
  for (let hops = 0; hops <= answers.length; hops++) {
    const here = answers.filter((record) => isSame(record.name, owner));
    const records = here.filter((record) => record.type === type);
    const alias = here.find((record) => record.type === Packet.TYPE.CNAME);
    if (records.length > 0 || alias?.domain === undefined) {
      return { records, ttl: records.reduce((least, record) => Math.min(least, record.ttl), ttl) };
    }
    ttl = Math.min(ttl, alias.ttl);
    owner = alias.domain;
  }
  return { records: [], ttl };
}

/**
 * Returns the TTL of a negative answer (RFC 2308 section 5). If the answer has no SOA, returns the TTL of a resolution failure (RFC 9520
 * section 3.2): otherwise each email would repeat the query for a record that its sender has not published.
 */
function negativeTtl(authorities: Resource[]): number {
  const soa = authorities.find((record) => record.type === Packet.TYPE.SOA);
  return soa?.minimum === undefined ? troubleSeconds : Math.min(soa.ttl, soa.minimum);
}

const isSame = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();
