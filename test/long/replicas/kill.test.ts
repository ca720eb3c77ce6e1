import type { Pod } from '#test/support/program/pod.ts';
import { testKills } from './kill-rounds.ts';

/** Chooses the pods in turn. */
function turnOf(pods: Pod[], round: number): Pod {
  const pod = pods[round % pods.length];
  if (pod === undefined) throw new Error('there is none');
  return pod;
}

testKills('an SMTP process', ({ cluster }, round) => turnOf(cluster.smtp, round));
testKills('an API process', ({ cluster }, round) => turnOf(cluster.api, round));
