import { defaultFlags } from '#core/accounts/account.ts';
import { nameOfDefinition } from '#operator/group.ts';
import { until } from '#test/support/runner/until.ts';
import type { Json, Kubectl } from './kubectl.ts';

/** Optional fields of each kind, by its plural. */
export const optionalFields: Record<string, string[]> = {
  domains: ['active', 'assumedClientIP', 'deletionPolicy', 'mxVerified'],
  accounts: [...Object.keys(defaultFlags), 'deletionPolicy', 'storageLimit'],
  apikeys: ['expiresAt', 'rotateAfter', 'scope', 'template'],
  members: ['role'],
  mailexpectations: [],
  inboxes: ['addressPrefix', 'secretName'],
};
export const plurals = Object.keys(optionalFields);
export const definitionFiles = plurals.flatMap((plural) => ['-f', `crds/${nameOfDefinition(plural)}.yaml`]);

/** Reads a definition as the API server has it. */
export const readDefinition = async (kubectl: Kubectl, plural: string): Promise<Json> =>
  JSON.parse(
    await kubectl.run('get', 'crd', nameOfDefinition(plural), '-o', 'json', '--show-managed-fields'),
  );

/** Names of the spec fields in a definition. */
export const specFields = ({ spec }: Json): string[] =>
  Object.keys(spec.versions[0].schema.openAPIV3Schema.properties.spec.properties);

/** Reverts a definition to an earlier release, without some spec and status fields. */
export async function takeBack(kubectl: Kubectl, plural: string, fields: string[]): Promise<void> {
  const definition = await readDefinition(kubectl, plural);
  const { spec, status } = definition.spec.versions[0].schema.openAPIV3Schema.properties;
  for (const field of fields) delete spec.properties[field];
  // The spec's validation rules name its fields.
  delete spec['x-kubernetes-validations'];
  for (const field of ['applied', 'scope', 'expiresAt']) delete status.properties[field];
  const { versions } = definition.spec;
  await kubectl.run(
    ...['patch', 'crd', nameOfDefinition(plural), '--type=merge', '--field-manager=earlier-release'],
    ...['-p', JSON.stringify({ spec: { versions } })],
  );
}

/** Installs this release's definitions, replacing existing ones. Waits until the API server serves them. */
export async function bringForward(kubectl: Kubectl): Promise<void> {
  await kubectl.run('apply', '--server-side', '--force-conflicts', ...definitionFiles);
  // kubectl ends with an error if a definition has no conditions yet.
  const established = ['wait', '--for=condition=Established', '--timeout=1s', ...definitionFiles];
  await until(async () => (await kubectl.try(established)).code === 0);
}
