/** Kinds whose resources have a finalizer. */
const managed = ['domains', 'accounts', 'apikeys', 'members', 'inboxes'];

/** Rights of the operator: its tests run with exactly these. The chart's roles are the same. */
const operatorRules = [
  {
    apiGroups: ['sandpost.dev'],
    resources: managed,
    verbs: ['get', 'list', 'watch', 'patch'],
  },
  {
    apiGroups: ['sandpost.dev'],
    resources: ['mailexpectations'],
    verbs: ['get', 'list', 'watch', 'delete'],
  },
  {
    apiGroups: ['sandpost.dev'],
    resources: [...managed, 'mailexpectations'].map((plural) => `${plural}/status`),
    verbs: ['patch'],
  },
  { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'create', 'patch', 'delete', 'list', 'watch'] },
  { apiGroups: [''], resources: ['namespaces'], verbs: ['get'] },
  { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create'] },
  {
    apiGroups: ['apiextensions.k8s.io'],
    resources: ['customresourcedefinitions'],
    resourceNames: [...managed, 'mailexpectations'].map((plural) => `${plural}.sandpost.dev`),
    verbs: ['get', 'patch'],
  },
];

/** Rights to the Lease in the operator's own namespace. */
const leaseRules = [
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
  {
    apiGroups: ['coordination.k8s.io'],
    resources: ['leases'],
    resourceNames: ['sandpost-operator'],
    verbs: ['get', 'update'],
  },
];

const apiGroup = 'rbac.authorization.k8s.io';
const subjects = [{ kind: 'User', name: 'operator', apiGroup }];

/** Roles of the user `operator` in the whole cluster, with its Lease in `default`. */
export const operatorRoles = [
  {
    apiVersion: `${apiGroup}/v1`,
    kind: 'ClusterRole',
    metadata: { name: 'operator' },
    rules: operatorRules,
  },
  {
    apiVersion: `${apiGroup}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: 'operator' },
    roleRef: { apiGroup, kind: 'ClusterRole', name: 'operator' },
    subjects,
  },
  {
    apiVersion: `${apiGroup}/v1`,
    kind: 'Role',
    metadata: { name: 'operator', namespace: 'default' },
    rules: leaseRules,
  },
  {
    apiVersion: `${apiGroup}/v1`,
    kind: 'RoleBinding',
    metadata: { name: 'operator', namespace: 'default' },
    roleRef: { apiGroup, kind: 'Role', name: 'operator' },
    subjects,
  },
];

/** Rights that the chart adds with `operator.attributeSenders`. */
export const senderRoles = [
  {
    apiVersion: `${apiGroup}/v1`,
    kind: 'ClusterRole',
    metadata: { name: 'operator-senders' },
    rules: [
      { apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch'] },
      { apiGroups: ['batch'], resources: ['jobs'], verbs: ['get'] },
    ],
  },
  {
    apiVersion: `${apiGroup}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: 'operator-senders' },
    roleRef: { apiGroup, kind: 'ClusterRole', name: 'operator-senders' },
    subjects,
  },
];
