const apiVersion = 'sandpost.dev/v1alpha1';

/** Returns a function that makes the JSON of a resource. */
const resource = (kind: string) => (namespace: string, name: string, spec: object) => ({
  apiVersion,
  kind,
  metadata: { namespace, name },
  spec,
});

export const domain = resource('Domain');
export const account = resource('Account');
export const apiKey = resource('ApiKey');
export const member = resource('Member');

export const namespace = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

export type Condition = {
  type: string;
  status: string;
  reason: string;
  message: string;
  lastTransitionTime: string;
};
