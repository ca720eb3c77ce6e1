import type { BoundServer } from '#test/support/stores/bound-server.ts';
import { testKills } from './kill-rounds.ts';

const kill = (server: BoundServer) => ({ kill: () => server.end('SIGKILL'), start: () => server.start() });

testKills('mongod', ({ mongod }) => kill(mongod));
testKills('redis-server', ({ cluster }) => kill(cluster.redis));
