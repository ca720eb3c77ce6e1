import { inTurn, testKills } from './kill-rounds.ts';

testKills('an SMTP process', ({ cluster }, round) => inTurn(cluster.smtp, round));
