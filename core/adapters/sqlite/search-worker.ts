import { workerData } from 'node:worker_threads';
import { connect } from './file.ts';
import { messageSearch } from './message-search.ts';
import { serve } from './serve.ts';

const longestSearchMs = 5000;

const db = connect(workerData.file, 'read');

serve(
  { messages: messageSearch(db, longestSearchMs) },
  (work) => work(),
  () => db.close(),
);
