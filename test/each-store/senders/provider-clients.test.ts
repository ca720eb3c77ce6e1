import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  nodeClient,
  runPython,
  withoutNodeClients,
  withoutPythonClients,
} from '#test/support/clients/provider-clients.ts';
import { keyOf, type SharedTeam } from '#test/support/program/team.ts';
import { assertAttempts, failing, type Scene, startScene } from './scene.ts';

let scene: Scene;
before(async () => {
  scene = await startScene();
});
after(() => scene.stop());

/** API and key that a client sends with, and the recipient. */
type Access = { url: string; key: string; to: string };

const accessOf = async (team: SharedTeam): Promise<Access> => ({
  url: `${scene.baseUrl}/providers/ses`,
  key: (await keyOf(scene, team.api, { scope: 'send' })).key,
  to: team.address,
});

const inputOf = (to: string) => ({
  FromEmailAddress: 'shop@example.com',
  Destination: { ToAddresses: [to] },
  Content: { Simple: { Subject: { Data: 'SES' }, Body: { Text: { Data: 'Hello' } } } },
});

type Sdk = Record<string, new (input: object) => { send(command: object): Promise<unknown> }>;

/** Sends by the SDK for JavaScript at its defaults, which are three attempts. Returns the status. */
async function byNode({ url, key, to }: Access): Promise<number> {
  const { SESv2Client: Client, SendEmailCommand: Command } = nodeClient<Sdk>('@aws-sdk/client-sesv2');
  if (Client === undefined || Command === undefined) throw new Error('The SDK has no SendEmail');
  const credentials = { accessKeyId: key, secretAccessKey: 'any' };
  const client = new Client({ endpoint: url, region: 'eu-central-1', credentials });
  try {
    await client.send(new Command(inputOf(to)));
    return 200;
  } catch (error) {
    return (error as { $metadata: { httpStatusCode: number } }).$metadata.httpStatusCode;
  }
}

/** Sends by boto3 at its defaults, which are three attempts. Prints the status. */
const script = `
import boto3, json, sys
from botocore.exceptions import ClientError
given = json.load(sys.stdin)
client = boto3.client('sesv2', endpoint_url=given['url'], region_name='eu-central-1',
                      aws_access_key_id=given['key'], aws_secret_access_key='any')
try:
    client.send_email(**given['input'])
    print(200)
except ClientError as error:
    print(error.response['ResponseMetadata']['HTTPStatusCode'])
`;
const byPython = async (access: Access) =>
  Number(await runPython(script, { ...access, input: inputOf(access.to) }));

for (const [name, send, skip] of [
  ['javascript', byNode, withoutNodeClients],
  ['boto3', byPython, withoutPythonClients],
] as const) {
  for (const status of [429, 503]) {
    test(`the SDK of SES tries again after ${status}, and gives up after three attempts: ${name}`, {
      skip,
    }, async () => {
      const team = await scene.team(`ses-${name}-${status}`);
      const access = await accessOf(team);
      const words = { stage: 'api', reply: `${status} Not now` };
      const passing = await failing(team, { ...words, times: 2 });
      assert.equal(await send(access), 200);
      await assertAttempts(team, passing, { failed: 2, passed: 1, stored: 1 });
      await team.api.delete(`/api/failures/${passing}`);
      const staying = await failing(team, words);
      assert.equal(await send(access), status);
      await assertAttempts(team, staying, { failed: 3, passed: 0, stored: 1 });
    });
  }
}
