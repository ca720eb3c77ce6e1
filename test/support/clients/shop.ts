import { randomInt, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { deliverOne } from '#test/support/program/program-mail.ts';

/** Application from docs/sign-up.md, with the addresses that have confirmed and then signed in by email. */
export type Shop = { url: string; signedIn: Set<string>; close(): void };

/** Starts the application, which sends its mail to this port. */
export async function startShop(smtpPort: number): Promise<Shop> {
  /** Codes of unconfirmed addresses, and links of all addresses. */
  const codes = new Map<string, string>();
  const links = new Map<string, string>();
  const signedIn = new Set<string>();
  let url = '';

  async function answer(request: IncomingMessage): Promise<string> {
    const { pathname, searchParams } = new URL(request.url ?? '/', url);
    const form = new URLSearchParams(await text(request));
    const email = form.get('email') ?? '';
    if (pathname === '/') return page('Sign up', '/sign-up', '<label>Email <input name="email"></label>');
    if (pathname === '/sign-up') {
      const code = String(randomInt(100_000, 1_000_000));
      const token = randomUUID();
      codes.set(email, code);
      links.set(token, email);
      await deliverOne(
        { smtpPort },
        {
          to: email,
          subject: 'Welcome to the shop',
          text: `Your code is ${code}.\n\nSign in: ${url}/login?token=${token}\n`,
        },
      );
      const hidden = `<input type="hidden" name="email" value="${email}">`;
      return page('Confirm', '/confirm', `${hidden}<label>Code <input name="code"></label>`);
    }
    if (pathname === '/confirm') {
      if (codes.get(email) !== form.get('code')) return 'This is not the code';
      codes.delete(email);
      return 'Confirmed';
    }
    const owner = links.get(searchParams.get('token') ?? '');
    if (owner === undefined || codes.has(owner)) return 'This link is not valid';
    signedIn.add(owner);
    return `Hello ${owner}`;
  }

  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    response.setHeader('Content-Type', 'text/html');
    response.end(await answer(request));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    signedIn,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function page(button: string, action: string, fields: string): string {
  return `<form method="post" action="${action}">${fields}<button>${button}</button></form>`;
}
