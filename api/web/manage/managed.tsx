type Props = { resource: string | null; kind: string };

/** Note that a thing is managed by a custom resource, with the resource's name. */
export function Managed({ resource, kind }: Props) {
  if (resource === null) return null;
  const [namespace, name] = resource.split('/');
  return (
    <p class="managed">
      Managed by the Kubernetes resource <strong>{resource}</strong>; change it there:{' '}
      <code>
        kubectl -n {namespace} edit {kind} {name}
      </code>
    </p>
  );
}
