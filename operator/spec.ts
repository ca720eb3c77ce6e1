import { nameOfDefinition } from './group.ts';
import { type Finding, finding, stalled } from './runtime/conditions.ts';
import type { Resource } from './runtime/resource.ts';

/** Field that a resource lacks and whose stored value stays. */
export type Kept = { field: string; value: string };

/** Resource, and the fields that the API server removes from its spec. */
type Given = { resource: Resource; lacking: readonly string[] };

/**
 * Returns true if somebody may have removed a field: the spec that was last applied had the field and is not the current spec. If a
 * definition lacks a field, the API server removes the field without a new generation.
 */
export function wasRemoved({ resource, lacking }: Given, field: string): boolean {
  const { status, metadata } = resource;
  const { generation, fields = [] } = status?.applied ?? {};
  return !lacking.includes(field) && fields.includes(field) && generation !== metadata.generation;
}

/** Checks for a resource that no operator has processed yet. */
const isNew = ({ status }: Resource) => (status?.observedGeneration ?? -1) < 0;

/**
 * Returns the wanted value of each optional field: the spec's value, if present. An omitted field gets its default if the resource is new
 * or somebody has removed the field. Otherwise the stored value stays, because an earlier release's definition may have removed the
 * field. `kept` are stored values that stay and differ from the default.
 */
export function wantedOf<T extends Record<string, unknown>>(
  given: Given,
  said: { [Field in keyof T]?: T[Field] | undefined },
  defaults: T,
  stored: T | null,
): { wanted: T; kept: Kept[] } {
  const wanted: Record<string, unknown> = {};
  const kept: Kept[] = [];
  for (const field of Object.keys(defaults)) {
    const isDefault =
      stored === null ||
      wasRemoved(given, field) ||
      (isNew(given.resource) && !given.lacking.includes(field));
    wanted[field] = said[field] ?? (isDefault ? defaults[field] : stored[field]);
    if (said[field] === undefined && wanted[field] !== defaults[field]) {
      kept.push({ field, value: String(wanted[field]) });
    }
  }
  return { wanted: wanted as T, kept };
}

/** Omits values that the API server may have filled in, because they would hide that a field was lost. */
export function withoutDefaults<R extends Resource>(
  resource: R,
  defaults: Readonly<Record<string, unknown>>,
): R {
  const said = Object.entries(resource.spec ?? {}).filter(([name, value]) => defaults[name] !== value);
  return { ...resource, spec: Object.fromEntries(said) };
}

/** Record of an applied spec, for `wasRemoved`. */
export function appliedOf({ metadata, spec }: Resource) {
  return { generation: metadata.generation, fields: Object.keys(spec ?? {}).sort() };
}

const pathsOf = (fields: readonly string[]) => fields.map((field) => `spec.${field}`).join(' and ');

/** Returns a finding about fields that a resource cannot have, or no longer has. Empty if no field is missing. */
export function completeness(plural: string, lacking: readonly string[], kept: readonly Kept[]): Finding[] {
  const incomplete = (reason: string, message: string) => [
    finding('Complete', 'False', reason, message, 'Warning'),
  ];
  if (lacking.length > 0)
    return incomplete('DefinitionOutdated', `${lacks(plural, lacking)}: Sandpost keeps the stored values`);
  if (kept.length === 0) return [];
  const values = kept.map(({ field, value }) => `spec.${field} (${value})`).join(' and ');
  const message = `Sandpost keeps stored values that this resource lost or never had: ${values}. Apply the manifest again, or set another value. To use the default, delete the resource and apply it again`;
  return incomplete('FieldsKept', message);
}

const reasons = ['DefinitionOutdated', 'FieldsUnknown'];

/** Checks whether the current spec arrived while its definition lacked fields, so it is unknown what the spec's author wanted. */
export function isUncertain({ status, metadata }: Resource): boolean {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return status?.observedGeneration === metadata.generation && reasons.includes(ready?.reason ?? '');
}

/** Returns the findings of a resource that is not applied, because its definition lacks fields that decide who may do what. */
export function unknownFields(
  plural: string,
  lacking: readonly string[],
  fields: readonly string[],
): Finding[] {
  if (lacking.length > 0) {
    const outdated = `${lacks(plural, lacking)}: the operator creates nothing for this resource`;
    return stalled('DefinitionOutdated', outdated);
  }
  const message = `an earlier definition may have removed fields from this resource: set ${pathsOf(fields)}, or delete the resource and apply it again`;
  return stalled('FieldsUnknown', message);
}

function lacks(plural: string, fields: readonly string[]): string {
  return `the definition (CRD) ${nameOfDefinition(plural)} is older than this operator and lacks ${pathsOf(fields)}`;
}
