import { workerData } from 'node:worker_threads';
import { serve } from '#setup/threads.ts';
import { openApiDocument } from './openapi.ts';
import { buildJson } from './pages.ts';
import { routes } from './routes/index.ts';

serve({ make: () => buildJson(openApiDocument(routes, workerData)) });
