import { workerData } from 'node:worker_threads';
import { foundReader } from '#adapters/stores/sqlite/messages/found-reader.ts';
import { messageList, tagCounts } from '#adapters/stores/sqlite/messages/message-list.ts';
import { messageSearch } from '#adapters/stores/sqlite/messages/message-search.ts';
import { connect } from '#adapters/stores/sqlite/schema/file.ts';
import { limits } from '#core/limits.ts';
import { serveStore } from './calls.ts';

const db = connect(workerData.file, 'read');

serveStore(
  {
    tags: tagCounts(db),
    messages: {
      ...messageSearch(db, limits.answers.searchSliceMs),
      ...foundReader(db, limits.answers.searchSliceMs),
      list: messageList(db, Number.POSITIVE_INFINITY),
    },
  },
  (work) => work(),
  () => db.close(),
);
