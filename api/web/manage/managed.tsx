import type { ComponentChildren } from 'preact';
import type { Account, Domain } from '../client/shapes.ts';
import { usePage } from '../page.ts';
import { type Badge, Card, Removal } from './listing.tsx';
import { badgesOf, Switch, type Toggle } from './switch.tsx';

type Props<T> = {
  name: string;
  item: T;
  /** Kind of the custom resource that may manage the object, as `kubectl` names it. */
  kind: string;
  path: string;
  toggles: Toggle<T>[];
  /** Badges after the switches' badges. `last` is at the end of the line. */
  badges?: Badge[];
  last?: ComponentChildren;
  /** Sentence that names other objects that a deletion removes. */
  loss: string;
  /** Displayed name, if different. */
  shown?: ComponentChildren;
  /** Forms below the switches. `acts` are next to the button that deletes. */
  forms?: ComponentChildren;
  acts?: ComponentChildren;
  children: ComponentChildren;
};

/** Card of a domain or an account. If a custom resource manages the object, it is changed through the resource and not here. */
export function ManagedCard<T extends Account | Domain>(props: Props<T>) {
  const { mayWrite, reloadDirectory } = usePage();
  const { name, shown, item, kind, path, toggles, badges = [], last, loss, forms, acts, children } = props;
  const disabled = isManaged(item);
  return (
    <Card
      name={shown ?? name}
      badges={[disabled && 'Kubernetes', ...badgesOf(toggles, item), ...badges]}
      last={last}
    >
      <Managed resource={item.managed_by_resource} kind={kind} />
      {children}
      {mayWrite.value && (
        <>
          {toggles.map((toggle) => (
            <Switch key={toggle.field} of={toggle} item={item} path={path} disabled={disabled} />
          ))}
          {forms}
          <div class="wrap">
            {acts}
            <Removal typed {...{ name, path, loss, disabled }} done={reloadDirectory} />
          </div>
        </>
      )}
    </Card>
  );
}

export const isManaged = ({ managed_by }: Account | Domain) => managed_by === 'kubernetes';

/** Sentence about what a custom resource manages, with the resource's name, and its kind if that is different. */
function Managed({ resource, kind }: { resource: string | null; kind: string }) {
  if (resource === null) return null;
  const [namespace, name, other = kind] = resource.split('/');
  return (
    <p class="breaks managed">
      Managed by the Kubernetes resource <strong>{resource}</strong>; change it there:{' '}
      <code>
        kubectl -n {namespace} edit {other.toLowerCase()} {name}
      </code>
    </p>
  );
}
