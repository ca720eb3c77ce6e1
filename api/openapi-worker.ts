import { parentPort, workerData } from 'node:worker_threads';
import { openApiDocument } from './openapi.ts';
import { routes } from './routes/index.ts';
import { buildJson } from './web-build.ts';

parentPort?.postMessage(buildJson(openApiDocument(routes, workerData)));
