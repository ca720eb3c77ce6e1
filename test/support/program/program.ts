import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after } from 'node:test';
import { dropDatabase, startMongod, type TestMongo, withDatabase } from '#test/support/stores/mongod.ts';
import { startRedis } from '#test/support/stores/redis-server.ts';
import { type LogLine, type Process, startProcess } from './process.ts';

/** Real program, on ports chosen by the system: one process, or an `api` and an `smtp` process on a cluster store. */
export type Program = AsyncDisposable & {
  baseUrl: string;
  httpPort: number;
  smtpPort: number;
  /** Port with implicit TLS, 0 without SANDPOST_SMTPS_PORT. */
  smtpsPort: number;
  /** Metrics and probe ports of the process that answers requests, and of the process that accepts mail. */
  opsPorts: { api: number; smtp: number };
  /** Process ID of the process that accepts mail. */
  pid: number;
  /** IDs of all its processes. */
  pids: number[];
  dataDir: string;
  /** Log lines so far. */
  log: LogLine[];
  /** Ends the program in order (SIGTERM) and returns its exit code. */
  stop(): Promise<number | null>;
  /** Kills the program (SIGKILL), as a power cut would. */
  kill(): Promise<void>;
};

/** True if tests of the program run on MongoDB: `SANDPOST_TEST_STORE`, which `test/run.ts` sets. */
export const onCluster = process.env.SANDPOST_TEST_STORE === 'mongodb';

/**
 * Starts the program with these settings and waits until it listens. Creates a data folder unless the settings name one. On
 * MongoDB, the folder's name selects a database. Throws with its output if it ends earlier.
 */
export async function startProgram(settings: Record<string, string> = {}): Promise<Program> {
  const ownDir = settings.SANDPOST_DATA_DIR === undefined ? await temporaryDir() : null;
  const dataDir = settings.SANDPOST_DATA_DIR ?? ownDir ?? '';
  const all = { ...settings, SANDPOST_DATA_DIR: dataDir };
  const processes = onCluster
    ? await startPair({ ...all, ...(await clusterAt(dataDir)) })
    : await startOne(all);
  const { api, smtp } = processes;
  const both = api === smtp ? [api] : [smtp, api];
  const stop = async () => {
    const codes = await Promise.all(both.map((one) => one.stop()));
    if (ownDir !== null) await rm(ownDir, { recursive: true, force: true });
    return codes.find((code) => code !== 0) ?? 0;
  };
  return {
    baseUrl: `http://127.0.0.1:${api.ports.http}`,
    httpPort: api.ports.http,
    smtpPort: smtp.ports.smtp,
    smtpsPort: smtp.ports.smtps,
    opsPorts: { api: api.ports.ops, smtp: smtp.ports.ops },
    pid: smtp.pid,
    pids: both.map(({ pid }) => pid),
    dataDir,
    get log() {
      return both.flatMap(({ log }) => log);
    },
    stop,
    kill: async () => {
      await Promise.all(both.map((one) => one.kill()));
    },
    async [Symbol.asyncDispose]() {
      await stop();
    },
  };
}

async function startOne(settings: Record<string, string>): Promise<{ api: Process; smtp: Process }> {
  const one = await startProcess('start', settings);
  return { api: one, smtp: one };
}

async function startPair(settings: Record<string, string>): Promise<{ api: Process; smtp: Process }> {
  const [api, smtp] = await Promise.all([startProcess('api', settings), startProcess('smtp', settings)]);
  return { api, smtp };
}

const databases = new Set<string>();
after(() => Promise.all([...databases].map(dropDatabase)));

let servers: Promise<{ mongo: TestMongo; redisUrl: string }> | null = null;

/** Returns the store settings of a program with this data folder, for a command that runs beside or after it. */
export async function storeSettings(dataDir: string): Promise<Record<string, string>> {
  return { SANDPOST_DATA_DIR: dataDir, ...(onCluster && (await clusterAt(dataDir))) };
}

/** Settings of a database that belongs to the folder, on a MongoDB and a Redis that one file's tests share. */
async function clusterAt(dataDir: string): Promise<Record<string, string>> {
  servers ??= startServers();
  const { mongo, redisUrl } = await servers;
  const name = `sandpost_test_${createHash('sha256').update(dataDir).digest('hex').slice(0, 12)}`;
  const uri = withDatabase(mongo.uri, name);
  databases.add(uri);
  return { SANDPOST_MONGODB_URI: uri, SANDPOST_REDIS_URL: redisUrl };
}

async function startServers(): Promise<{ mongo: TestMongo; redisUrl: string }> {
  const [mongo, redisUrl] = await Promise.all([startMongod(), redis()]);
  return { mongo, redisUrl };
}

async function redis(): Promise<string> {
  return process.env.SANDPOST_TEST_REDIS_URL ?? (await startRedis()).url;
}

/** Runs `work` with the program on a data folder, which the program has to itself on the embedded store. */
export async function running<T>(dataDir: string, work: (program: Program) => Promise<T>): Promise<T> {
  await using program = await startProgram({ SANDPOST_DATA_DIR: dataDir });
  return await work(program);
}

/** Creates a folder that is removed when the test process ends. */
export async function temporaryDir(): Promise<string> {
  const dir = await mkdtemp(path.join(tmpdir(), 'sandpost-test-'));
  process.once('exit', () => rmSync(dir, { recursive: true, force: true }));
  return dir;
}
