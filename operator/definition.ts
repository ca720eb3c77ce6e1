/** Parts of an OpenAPI schema that the operator compares. */
export type Schema = { default?: unknown; properties?: Record<string, Schema> };

/** Parts of a definition (CustomResourceDefinition) that the operator compares. */
export type Definition = {
  metadata: {
    name: string;
    resourceVersion?: string;
    deletionTimestamp?: string;
    managedFields?: { manager?: string }[];
  };
  spec: { versions: { name: string; schema?: { openAPIV3Schema?: Schema } }[] };
};

/** Spec and status fields in one version of a definition, and the defaults of the spec fields. */
export type Fields = {
  spec: ReadonlySet<string>;
  status: ReadonlySet<string>;
  defaults: Readonly<Record<string, unknown>>;
};

/** Differences between the API server's definition and the operator's own. */
export type Gap = {
  /** Spec fields that the API server removes from resources because its definition lacks them. */
  lacking: readonly string[];
  /** Status fields that the definition lacks. The API server refuses an apply that contains one. */
  statusLacking: readonly string[];
  /** Values that the API server fills in for fields that a spec omits. */
  defaults: Readonly<Record<string, unknown>>;
};

/** Returns the fields that one version's schema contains. */
export function fieldsOf(schema: Schema | undefined): Fields {
  const namesOf = (part: Schema | undefined) => new Set(Object.keys(part?.properties ?? {}));
  const { spec, status } = schema?.properties ?? {};
  const fields = Object.entries(spec?.properties ?? {});
  const defaults = fields.flatMap(([name, field]) =>
    field.default === undefined ? [] : [[name, field.default]],
  );
  return { spec: namesOf(spec), status: namesOf(status), defaults: Object.fromEntries(defaults) };
}

/** Returns the fields that a version of a definition contains, or null if the definition lacks the version. */
export function fieldsOfVersion({ spec }: Definition, version: string): Fields | null {
  const found = spec.versions.find(({ name }) => name === version);
  return found === undefined ? null : fieldsOf(found.schema?.openAPIV3Schema);
}

export function gapOf(own: Fields, served: Fields): Gap {
  const lacking = [...own.spec.difference(served.spec)].sort();
  const statusLacking = [...own.status.difference(served.status)].sort();
  return { lacking, statusLacking, defaults: own.defaults };
}

/** Checks whether the operator's own definition is newer. */
export function isBehind({ lacking, statusLacking }: Gap): boolean {
  return lacking.length + statusLacking.length > 0;
}

/** Checks whether the operator's own definition contains everything in the served definition, and may therefore replace it. */
export function mayReplace(own: Definition, served: Definition): boolean {
  return served.spec.versions.every(({ name, schema }) => {
    const mine = fieldsOfVersion(own, name);
    const { spec, status } = fieldsOf(schema?.openAPIV3Schema);
    return mine !== null && spec.isSubsetOf(mine.spec) && status.isSubsetOf(mine.status);
  });
}
