import { workerData } from 'node:worker_threads';
import { limits } from '#core/limits.ts';
import { connect } from './file.ts';
import { messageSearch } from './message-search.ts';
import { serve } from './serve.ts';

const db = connect(workerData.file, 'read');

serve(
  { messages: messageSearch(db, limits.answers.searchSliceMs) },
  (work) => work(),
  () => db.close(),
);
