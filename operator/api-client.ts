import {
  CoordinationV1Api,
  CoreV1Api,
  CustomObjectsApi,
  createConfiguration,
  EventsV1Api,
  KubeConfig,
  type RequestContext,
  type ResponseContext,
  ServerConfiguration,
  Watch,
} from '@kubernetes/client-node';

/** The parts of the Kubernetes API that the operator calls, and the namespace that it runs in. */
export type ApiClient = {
  namespace: string;
  custom: CustomObjectsApi;
  core: CoreV1Api;
  coordination: CoordinationV1Api;
  events: EventsV1Api;
  watch: Watch;
};

/** The library sets no limit: a call over a connection whose other end is gone would wait for ever. */
const requestMs = 10_000;
/** A watch that says nothing for so long is begun again: its connection may be dead. */
const silenceMs = 30_000;
/** The library makes an agent, and so a TLS handshake, for each call: one is kept for as long as certificates may. */
const agentMs = 300_000;

/** Connects as KUBECONFIG says, or as the pod's service account. `onRequest` hears the HTTP method of each call. */
export function connectToCluster(onRequest: (method: string) => void): ApiClient {
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromDefault();
  const cluster = kubeConfig.getCurrentCluster();
  if (cluster === null) throw new Error('no Kubernetes cluster: set KUBECONFIG, or run in a pod');
  let agent: { dispatcher: ReturnType<RequestContext['getDispatcher']>; until: number } | null = null;
  const configuration = createConfiguration({
    baseServer: new ServerConfiguration(cluster.server, {}),
    authMethods: { default: kubeConfig },
    promiseMiddleware: [
      {
        async pre(context: RequestContext) {
          onRequest(context.getHttpMethod().toString());
          context.setSignal(AbortSignal.timeout(requestMs));
          if (agent === null || agent.until < Date.now()) {
            agent = { dispatcher: context.getDispatcher(), until: Date.now() + agentMs };
          }
          if (agent.dispatcher !== undefined) context.setDispatcher(agent.dispatcher);
          return context;
        },
        post: async (context: ResponseContext) => context,
      },
    ],
  });
  const watch = new Watch(kubeConfig);
  Object.assign(watch, { requestTimeoutMs: silenceMs });
  return {
    namespace: kubeConfig.getContextObject(kubeConfig.getCurrentContext())?.namespace ?? 'default',
    custom: new CustomObjectsApi(configuration),
    core: new CoreV1Api(configuration),
    coordination: new CoordinationV1Api(configuration),
    events: new EventsV1Api(configuration),
    watch,
  };
}
