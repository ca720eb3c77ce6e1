import { testKills } from './kill-rounds.ts';

testKills('mongod', ({ mongod }) => ({ kill: () => mongod.end('SIGKILL'), start: () => mongod.start() }));
