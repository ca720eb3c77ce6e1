/** Response of a page, read to its end. */
export type PageAnswer = { status: number; headers: Headers; text: string; url: string };

/** Client that keeps cookies by host, as a browser does, and follows redirects only on request. */
export class BrowserLike {
  readonly cookies = new Map<string, Map<string, string>>();
  readonly #headers: Record<string, string>;

  constructor(headers: Record<string, string> = {}) {
    this.#headers = headers;
  }

  /** Opens an address like a link on a page of the same site. */
  async open(url: string, headers: Record<string, string> = {}): Promise<PageAnswer> {
    const jar = this.#jarOf(url);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: { accept: 'text/html', ...this.#headers, ...(cookie ? { cookie } : {}), ...headers },
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      const ended = value === '' || /expires=Thu, 01 Jan 1970/i.test(line);
      if (ended) jar.delete(name);
      else jar.set(name, value);
    }
    return { status: answer.status, headers: answer.headers, text: await answer.text(), url };
  }

  /** Follows redirects up to an address that `stop` matches. Returns that address without opening it. */
  async follow(url: string, stop: (url: string) => boolean): Promise<string> {
    let at = url;
    for (let steps = 0; steps < 10 && !stop(at); steps += 1) {
      const answer = await this.open(at);
      const location = answer.headers.get('location');
      const link = /href="([^"]+\/go)"/.exec(answer.text)?.[1];
      const next = location ?? link;
      if (next === undefined)
        throw new Error(`${at} leads nowhere: ${answer.status} ${answer.text.slice(0, 500)}`);
      at = new URL(next, at).href;
    }
    return at;
  }

  /** Returns a cookie's value, or undefined. */
  cookie(url: string, name: string): string | undefined {
    return this.#jarOf(url).get(name);
  }

  #jarOf(url: string): Map<string, string> {
    const { hostname } = new URL(url);
    const jar = this.cookies.get(hostname) ?? new Map<string, string>();
    this.cookies.set(hostname, jar);
    return jar;
  }
}
