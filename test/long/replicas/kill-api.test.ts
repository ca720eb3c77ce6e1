import { inTurn, testKills } from './kill-rounds.ts';

testKills('an API process', ({ cluster }, round) => inTurn(cluster.api, round));
