import { createTCPServer, createUDPServer, Packet } from 'dns2';
import { freePort } from '#test/support/runner/free-port.ts';

/** Records of one name. `ttl` is in seconds, 60 if absent. A TXT may consist of its character-strings. */
export type ZoneEntry = {
  A?: string[];
  AAAA?: string[];
  CNAME?: string;
  MX?: [priority: number, exchange: string][];
  PTR?: string[];
  TXT?: (string | string[])[];
  ttl?: number;
};

/**
 * Behavior of a name instead of answering with its records. `late` answers when the test says so, and `truncate` returns full answers
 * over TCP only.
 */
type Misbehaviour = 'SERVFAIL' | 'REFUSED' | 'NXDOMAIN' | 'silent' | 'late' | 'truncate';

/** DNS server for one test, on UDP and TCP. Zones and misbehavior may change while it runs. */
export type DnsServer = AsyncDisposable & {
  /** Address as `127.0.0.1:<port>`. */
  address: string;
  /** Records by name. Names are in lower case, without a trailing dot. */
  zones: Record<string, ZoneEntry>;
  /** Misbehavior by name. `*` means all names; `silent` for `*` simulates a server that is down. */
  misbehaviour: Map<string, Misbehaviour>;
  /** SOA minimum for negative answers in seconds, initially 60. Null leaves out the SOA. */
  negativeTtl: number | null;
  /** Questions so far, as `TXT example.test`. */
  questions: string[];
  /** Sends the late answers. */
  sendLate: (() => void)[];
  /** Stops listening. From then on, the system refuses packets to the port. */
  close(): Promise<void>;
};

export async function startDnsServer(zones: Record<string, ZoneEntry> = {}): Promise<DnsServer> {
  const udp = createUDPServer();
  const tcp = createTCPServer();
  const port = await listenOnBoth(udp, tcp);
  let closed: Promise<void> | undefined;
  const stop = async () => {
    await Promise.all([udp, tcp].map((one) => new Promise<void>((resolve) => one.close(() => resolve()))));
  };
  const server: DnsServer = {
    address: `127.0.0.1:${port}`,
    zones,
    misbehaviour: new Map(),
    negativeTtl: 60,
    questions: [],
    sendLate: [],
    close: () => (closed ??= stop()),
    [Symbol.asyncDispose]: () => server.close(),
  };
  const respond = (request: Packet, send: (response: Packet) => unknown, byUdp: boolean) => {
    const response = answer(server, request, byUdp);
    if (response === null) return;
    const name = request.questions[0]?.name.toLowerCase() ?? '';
    if (server.misbehaviour.get(name) === 'late') server.sendLate.push(() => void send(response));
    else void send(response);
  };
  udp.on('request', (request, send) => respond(request, send, true));
  tcp.on('request', (request, send) => respond(request, send, false));
  return server;
}

async function listenOnBoth(
  udp: ReturnType<typeof createUDPServer>,
  tcp: ReturnType<typeof createTCPServer>,
): Promise<number> {
  const port = await freePort();
  await new Promise<void>((resolve) => tcp.listen(port, '127.0.0.1', resolve));
  await udp.listen(port, '127.0.0.1');
  return port;
}

function answer(server: DnsServer, request: Packet, byUdp: boolean): Packet | null {
  const response = Packet.createResponseFromRequest(request);
  const [question] = request.questions;
  if (question === undefined) return null;
  const name = question.name.toLowerCase();
  const type = Packet.typeName(question.type);
  if (name !== '') server.questions.push(`${type} ${name}`);
  const does = server.misbehaviour.get(name) ?? server.misbehaviour.get('*');
  if (does === 'silent') return null;
  if (does === 'truncate' && byUdp) {
    response.header.tc = 1;
    return response;
  }
  response.header.ra = 1;
  if (does === 'SERVFAIL' || does === 'REFUSED' || does === 'NXDOMAIN') {
    response.header.rcode = Packet.RCODE[does];
    return does === 'NXDOMAIN' ? withSoa(server, response) : response;
  }
  let owner = name;
  for (let hops = 0; hops < 8; hops++) {
    const records = recordsOf(server.zones[owner], owner, type);
    response.answers.push(...records);
    const alias = server.zones[owner]?.CNAME;
    if (alias === undefined || type === 'CNAME') break;
    response.answers.push(record(owner, 'CNAME', { domain: alias }, server.zones[owner]?.ttl));
    owner = alias;
  }
  if (response.answers.some((found) => found.type === question.type)) return response;
  const exists = Object.keys(server.zones).some((known) => known === owner || known.endsWith(`.${owner}`));
  response.header.rcode = exists ? Packet.RCODE.NOERROR : Packet.RCODE.NXDOMAIN;
  return withSoa(server, response);
}

type Resource = InstanceType<typeof Packet.Resource>;

function recordsOf(entry: ZoneEntry | undefined, name: string, type: string): Resource[] {
  const { A = [], AAAA = [], CNAME, MX = [], PTR = [], TXT = [], ttl } = entry ?? {};
  const fields: Record<string, Partial<Resource>[]> = {
    A: A.map((address) => ({ address })),
    AAAA: AAAA.map((address) => ({ address })),
    CNAME: CNAME === undefined ? [] : [{ domain: CNAME }],
    MX: MX.map(([priority, exchange]) => ({ priority, exchange })),
    PTR: PTR.map((domain) => ({ domain })),
    TXT: TXT.map((text) => ({ data: typeof text === 'string' ? (text.match(/.{1,255}/gs) ?? ['']) : text })),
  };
  return (fields[type] ?? []).map((field) => record(name, type, field, ttl));
}

function record(name: string, type: string, fields: Partial<Resource>, ttl = 60): Resource {
  const code = Packet.TYPE[type as keyof typeof Packet.TYPE];
  return new Packet.Resource({ name, type: code, class: Packet.CLASS.IN, ttl, ...fields });
}

function withSoa({ negativeTtl }: DnsServer, response: Packet): Packet {
  if (negativeTtl === null) return response;
  const times = { serial: 1, refresh: 3600, retry: 600, expiration: 86_400, minimum: negativeTtl };
  response.authorities.push(record('', 'SOA', { primary: 'ns.test', admin: 'admin.test', ...times }, 3600));
  return response;
}
