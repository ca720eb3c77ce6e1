/** Parts of an OpenAPI schema that are compared. */
export type Schema = { default?: unknown; properties?: Record<string, Schema> };

/** Parts of a definition (CustomResourceDefinition) that are compared. */
export type Definition = {
  metadata: {
    name: string;
    resourceVersion?: string;
    deletionTimestamp?: string;
    managedFields?: { manager?: string }[];
  };
  spec: { versions: { name: string; schema?: { openAPIV3Schema?: Schema } }[] };
};

/** Fields of the spec and of the status that a version of a definition has, and the defaults of those of the spec. */
export type Fields = {
  spec: ReadonlySet<string>;
  status: ReadonlySet<string>;
  defaults: Readonly<Record<string, unknown>>;
};

/** Difference between the definition that the API server has and the operator's own. */
export type Gap = {
  /** Fields of the spec that the API server removes from resources, since its definition lacks them. */
  lacking: readonly string[];
  /** Fields of the status that the definition lacks. The API server refuses an apply with one of them. */
  statusLacking: readonly string[];
  /** Values that the API server fills in where a spec leaves a field out. */
  defaults: Readonly<Record<string, unknown>>;
};

/** Returns the fields of a schema of one version. */
export function fieldsOf(schema: Schema | undefined): Fields {
  const namesOf = (part: Schema | undefined) => new Set(Object.keys(part?.properties ?? {}));
  const { spec, status } = schema?.properties ?? {};
  const fields = Object.entries(spec?.properties ?? {});
  const defaults = fields.flatMap(([name, field]) =>
    field.default === undefined ? [] : [[name, field.default]],
  );
  return { spec: namesOf(spec), status: namesOf(status), defaults: Object.fromEntries(defaults) };
}

/** Returns the fields of a version of a definition, or null where the definition lacks the version. */
export function fieldsOfVersion({ spec }: Definition, version: string): Fields | null {
  const found = spec.versions.find(({ name }) => name === version);
  return found === undefined ? null : fieldsOf(found.schema?.openAPIV3Schema);
}

export function gapOf(own: Fields, served: Fields): Gap {
  const lacking = [...own.spec.difference(served.spec)].sort();
  const statusLacking = [...own.status.difference(served.status)].sort();
  return { lacking, statusLacking, defaults: own.defaults };
}

/** True where the operator's own definition is the newer one. */
export function isBehind({ lacking, statusLacking }: Gap): boolean {
  return lacking.length + statusLacking.length > 0;
}

/** True where the operator's own definition has everything that the served one has, so that it may take its place. */
export function mayReplace(own: Definition, served: Definition): boolean {
  return served.spec.versions.every(({ name, schema }) => {
    const mine = fieldsOfVersion(own, name);
    const { spec, status } = fieldsOf(schema?.openAPIV3Schema);
    return mine !== null && spec.isSubsetOf(mine.spec) && status.isSubsetOf(mine.status);
  });
}
