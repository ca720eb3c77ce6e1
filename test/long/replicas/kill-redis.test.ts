import { testKills } from './kill-rounds.ts';

testKills('redis-server', ({ cluster: { redis } }) => ({
  kill: () => redis.end('SIGKILL'),
  start: () => redis.start(),
}));
