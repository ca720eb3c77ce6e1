import { hash } from 'node:crypto';
import type { Ctx, Handler } from '#api/context.ts';
import { type BuiltFile, serveBuilt } from '#api/pages.ts';
import { inHtml, showPage } from '#api/plain-page.ts';
import { requireRead } from '#api/shapes/problem.ts';
import { type ClientFile, packClients } from '#clients/pack/pack-clients.ts';
import { NotFound } from '#core/errors.ts';
import type { Config } from '#setup/config.ts';
import { programVersion } from '#telemetry/program-version.ts';

/** Response below `/clients`, by path. `isFixed` marks bytes that never change under this path. */
type Resource = { type: string; bytes: Buffer; isFixed: boolean };
type Clients = { files: ClientFile[]; resources: Map<string, Resource>; npm: ClientFile };

/** Clients of this process, packed at the first request, so they use no memory until somebody needs them. */
let packed: Promise<Clients> | null = null;

/**
 * Serves this version's clients to anybody: their list at `/clients/`, each file below it, and what npm and pip request from a registry.
 * A request can only select from a fixed set of paths.
 */
export function serveClients({ baseUrl, basePath }: Pick<Config, 'baseUrl' | 'basePath'>): Handler {
  return async (ctx, next) => {
    if (ctx.path !== '/clients' && !ctx.path.startsWith('/clients/')) return next();
    ctx.state.route = '/clients/{file}';
    packed ??= prepare().catch((error) => {
      // Lets the next request retry.
      packed = null;
      throw error;
    });
    const { files, resources, npm } = await packed;
    const path = decoded(ctx.path);
    const asked = askedUrl(ctx, baseUrl);
    const resource = path === npmPath ? json(packument(npm, asked + npmArchive)) : resources.get(path);
    const isList = /^\/clients\/?$/.test(ctx.path);
    if (!isList && resource === undefined) throw new NotFound(unknownFile(asked));
    requireRead(ctx.method);
    if (resource !== undefined) return send(ctx, resource);
    ctx.vary('Accept');
    if (ctx.accepts('json', 'html') === 'html') return showList(ctx, files, { baseUrl: asked, basePath });
    send(ctx, json(listOf(files, asked)));
  };
}

const npmPath = '/clients/npm/@sandpost/client';
const npmArchive = `${npmPath}/-/client-${programVersion}.tgz`;

/**
 * Returns the base URL, or the address that the client requested if it differs: for example, with a mapped container port, the base URL
 * leads nowhere.
 */
function askedUrl(ctx: Ctx, baseUrl: string): string {
  const { host, pathname } = new URL(baseUrl);
  const asked = URL.parse(`${ctx.protocol}://${ctx.host}`);
  // Bounded: `baseUrl` is a setting.
  return asked === null || asked.host === host ? baseUrl : asked.origin + pathname.replace(/\/+$/, '');
}

const unknownFile = (baseUrl: string) =>
  `Client not found. ${baseUrl}/clients/ lists this server's clients (version ${programVersion})`;

/** Returns the path without percent-encoding, because npm requests `@sandpost%2fclient`. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function send(ctx: Ctx, { type, bytes, isFixed }: Resource): void {
  ctx.set('Cache-Control', isFixed ? 'public, max-age=31536000, immutable' : 'no-cache');
  const tag = `"${hash('sha256', bytes, 'base64url').slice(0, 32)}"`;
  serveBuilt(ctx, { type, body: bytes, br: null, gzip: null, tag } satisfies BuiltFile);
}

async function prepare(): Promise<Clients> {
  const files = await packClients(programVersion);
  const resources = new Map<string, Resource>();
  for (const { name, bytes } of files) {
    const type = /\.(tgz|whl)$/.test(name) ? 'application/octet-stream' : 'text/plain; charset=utf-8';
    resources.set(`/clients/${name}`, { type, bytes, isFixed: true });
  }
  const of = (wanted: string) => files.find(({ language }) => language === wanted);
  const [npm, wheel] = [of('javascript'), of('python')];
  if (npm === undefined || wheel === undefined) throw new Error('the clients for npm and pip are missing');
  resources.set(npmArchive, { type: 'application/octet-stream', bytes: npm.bytes, isFixed: true });
  resources.set('/clients/python/sandpost/', simplePage(wheel));
  return { files, resources, npm };
}

const json = (value: object): Resource => ({
  type: 'application/json',
  bytes: Buffer.from(JSON.stringify(value)),
  isFixed: false,
});

function listOf(files: ClientFile[], baseUrl: string) {
  return {
    version: programVersion,
    files: files.map(({ name, language, bytes, sha512 }) => ({
      name,
      language,
      url: `${baseUrl}/clients/${name}`,
      size_bytes: bytes.length,
      sha512,
    })),
  };
}

/** Creates an npm registry's response about the package, which has only this version. */
function packument({ sha512 }: ClientFile, tarball: string) {
  const name = '@sandpost/client';
  const integrity = `sha512-${Buffer.from(sha512, 'hex').toString('base64')}`;
  return {
    name,
    'dist-tags': { latest: programVersion },
    versions: { [programVersion]: { name, version: programVersion, dist: { tarball, integrity } } },
  };
}

/** Creates a project's page in a Python package index (PEP 503). */
function simplePage({ name, bytes }: ClientFile): Resource {
  const address = `../../${name}#sha256=${hash('sha256', bytes, 'hex')}`;
  const link = `<a href="${address}" data-requires-python="&gt;=3.9">${name}</a>`;
  const page = `<!doctype html>\n<html><head><title>sandpost</title></head><body>${link}</body></html>\n`;
  return { type: 'text/html; charset=utf-8', bytes: Buffer.from(page), isFixed: false };
}

/** Commands that install a client, by the end of its file name. */
const installs: [end: string, command: (url: string) => string][] = [
  ['.tgz', (url) => `npm install --save-dev ${url}`],
  ['.whl', (url) => `pip install ${url}`],
  ['', (url) => `curl -O ${url}`],
];

/** Shows the list as a page, with each file's installation command. */
function showList(
  ctx: Ctx,
  files: ClientFile[],
  { baseUrl, basePath }: Pick<Config, 'baseUrl' | 'basePath'>,
): void {
  ctx.set('Cache-Control', 'no-cache');
  const items = files.map(({ name, bytes }) => {
    const url = `${baseUrl}/clients/${name}`;
    const command = installs.find(([end]) => name.endsWith(end))?.[1](url) ?? '';
    const size = `${Math.ceil(bytes.length / 1024)} KB`;
    return `<li><a href="${basePath}/clients/${name}">${name}</a> <small>${size}</small><pre>${inHtml(command)}</pre></li>`;
  });
  showPage(ctx, `Clients ${programVersion}`, [
    "<p>Clients for test code, matching this server's version.</p>",
    `<ul>${items.join('\n')}</ul>`,
  ]);
}
