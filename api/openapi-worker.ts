import { parentPort, workerData } from 'node:worker_threads';
import { openApiDocument } from './openapi.ts';
import { buildJson } from './pages.ts';
import { routes } from './routes/index.ts';

parentPort?.postMessage(buildJson(openApiDocument(routes, workerData)));
