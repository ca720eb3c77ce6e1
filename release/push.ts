import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { type Descriptor, type Layout, type Manifest, types } from './layout.ts';

/** Repository in a registry that implements the OCI distribution specification 1.1. */
export class Repository {
  readonly #name: string;
  readonly #host: string;
  readonly #base: string;
  #authorization: string | undefined;

  constructor(name: string) {
    const [, host = '', repository = ''] = /^([^/]+)\/([a-z0-9][a-z0-9._/-]*)$/.exec(name) ?? [];
    if (!/[.:]|^localhost$/.test(host))
      throw new Error(`${name} does not name a registry: use a name such as registry.example.com/sandpost`);
    const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/.test(host);
    const server = host === 'docker.io' ? 'registry-1.docker.io' : host;
    this.#name = name;
    this.#host = host;
    this.#base = `${isLoopback ? 'http' : 'https'}://${server}/v2/${repository}`;
  }

  /** Pushes the parts of a layout that the repository lacks. Refuses to change an existing version, but replaces signatures. */
  async push(layout: Layout): Promise<void> {
    for (const { entry, tag } of layout.entries) {
      if (tag !== undefined && !tag.endsWith('.sig')) {
        const headers = { Accept: entry.mediaType };
        const known = await this.#ask('HEAD', `/manifests/${tag}`, [200, 404], { headers });
        const digest = known.headers.get('docker-content-digest');
        if (known.ok && digest !== entry.digest)
          throw new Error(`${this.#name}:${tag} already exists as ${digest}, not ${entry.digest}`);
      }
      await this.#pushManifest(layout, entry, tag);
    }
  }

  async #pushManifest(layout: Layout, entry: Descriptor, tag: string = entry.digest): Promise<void> {
    const body = await readFile(layout.fileOf(entry.digest));
    const { manifests = [], config, layers = [], subject, artifactType }: Manifest = JSON.parse(`${body}`);
    for (const child of manifests) await this.#pushManifest(layout, child);
    for (const blob of config ? [config, ...layers] : []) await this.#pushBlob(layout, blob.digest);
    const headers = { 'Content-Type': entry.mediaType };
    const answer = await this.#ask('PUT', `/manifests/${tag}`, [201], { headers, body });
    if (subject && artifactType && !answer.headers.has('oci-subject'))
      await this.#refer(subject.digest, { ...entry, artifactType });
  }

  async #pushBlob(layout: Layout, digest: string): Promise<void> {
    if ((await this.#ask('HEAD', `/blobs/${digest}`, [200, 404])).ok) return;
    const begun = await this.#ask('POST', '/blobs/uploads/', [202]);
    const place = new URL(begun.headers.get('location') ?? '', this.#base);
    place.searchParams.set('digest', digest);
    const headers = { 'Content-Type': 'application/octet-stream' };
    await this.#ask('PUT', place.href, [201], { headers, body: await readFile(layout.fileOf(digest)) });
  }

  /** Lists an artifact under its subject's tag, if the registry does not support referrers ("Referrers Tag Schema"). */
  async #refer(subject: string, artifact: Descriptor): Promise<void> {
    const at = `/manifests/${subject.replace(':', '-')}`;
    const known = await this.#ask('GET', at, [200, 404], { headers: { Accept: types.index } });
    const others: Descriptor[] = known.ok ? (JSON.parse(await known.text()).manifests ?? []) : [];
    const manifests = [...others.filter(({ digest }) => digest !== artifact.digest), artifact];
    const body = JSON.stringify({ schemaVersion: 2, mediaType: types.index, manifests });
    await this.#ask('PUT', at, [201], { headers: { 'Content-Type': types.index }, body });
  }

  /** Sends a request. If the registry requests credentials, sends the request again with them. Throws for an unexpected status. */
  async #ask(method: string, to: string, expected: number[], init: RequestInit = {}) {
    const url = to.startsWith('/') ? `${this.#base}${to}` : to;
    const send = () => {
      const headers = new Headers(init.headers);
      // A registry may redirect the download to another host, which does not get the credentials.
      if (this.#authorization && new URL(url).origin === new URL(this.#base).origin)
        headers.set('authorization', this.#authorization);
      return fetch(url, { ...init, method, headers });
    };
    let answer = await send();
    if (answer.status === 401) {
      this.#authorization = await this.#authorize(answer.headers.get('www-authenticate') ?? '');
      answer = await send();
    }
    if (expected.includes(answer.status)) return answer;
    const refused = `${method} ${url.split('?')[0]}: ${answer.status} ${await answer.text()}`;
    throw new Error(answer.status === 401 ? `${refused}: run docker login ${this.#host}` : refused);
  }

  /** Answers a challenge by password or by token (https://distribution.github.io/distribution/spec/auth/token/). */
  async #authorize(challenge: string): Promise<string> {
    const basic = await credentialsOf(this.#host);
    const realm = /realm="([^"]*)"/.exec(challenge)?.[1];
    if (!/^bearer /i.test(challenge) || realm === undefined) return basic;
    const url = new URL(realm);
    if (url.protocol !== 'https:' && !this.#base.startsWith('http:'))
      throw new Error(`${url} would receive your password without TLS`);
    url.searchParams.set('service', /service="([^"]*)"/.exec(challenge)?.[1] ?? '');
    url.searchParams.set('scope', `repository:${this.#name.slice(this.#host.length + 1)}:pull,push`);
    const answer = await fetch(url, { headers: basic === '' ? {} : { authorization: basic } });
    if (!answer.ok) throw new Error(`${url}: ${answer.status}: run docker login ${this.#host}`);
    const { token, access_token } = JSON.parse(await answer.text());
    return `Bearer ${token ?? access_token}`;
  }
}

/** Returns a registry's entry in the file that `docker login` writes, or nothing. */
async function credentialsOf(host: string): Promise<string> {
  const folder = process.env.DOCKER_CONFIG || path.join(homedir(), '.docker');
  const text = await readFile(path.join(folder, 'config.json'), 'utf8').catch(() => '{}');
  const { auths = {} } = JSON.parse(text);
  const auth = auths[host === 'docker.io' ? 'https://index.docker.io/v1/' : host]?.auth;
  return auth ? `Basic ${auth}` : '';
}
