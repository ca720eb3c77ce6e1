import { once } from 'node:events';
import { createUDPServer, Packet } from 'dns2';

const ttl = 3600;

/**
 * Answers DNS on loopback. Names other than service labels (`_dmarc.…`) have an SPF record that permits this machine, and nothing else
 * exists. A real resolver would be part of the measurement.
 */
export async function startDns(): Promise<{ address: string; close(): void }> {
  const server = createUDPServer((request, send) => {
    const response = Packet.createResponseFromRequest(request);
    const question = request.questions[0];
    if (question?.type === Packet.TYPE.TXT && !question.name.startsWith('_')) {
      const data = 'v=spf1 ip4:127.0.0.0/8 -all';
      response.answers.push(Packet.createResourceFromQuestion(question, { ttl, data }));
    } else if (question) {
      response.authorities.push(Packet.createResourceFromQuestion(question, startOfAuthority(question.name)));
    }
    void send(response);
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  return { address: `127.0.0.1:${server.address().port}`, close: () => server.close() };
}

/** Builds the SOA record with which a negative answer may be cached (RFC 2308 section 5). */
function startOfAuthority(name: string) {
  const times = { serial: 1, refresh: ttl, retry: ttl, expiration: ttl, minimum: ttl };
  return { type: Packet.TYPE.SOA, ttl, primary: name, admin: name, ...times };
}
