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

/** Parts of the Kubernetes API that an operator calls, and the namespace that it runs in. */
export type ApiClient = {
  namespace: string;
  custom: CustomObjectsApi;
  core: CoreV1Api;
  coordination: CoordinationV1Api;
  events: EventsV1Api;
  /** Ends a watch that is silent for 30 s with a TimeoutError, since its connection may be dead. */
  watch: Watch;
};

/** Time limit of a call. The library has none: a call over a dead connection would never end. */
const requestMs = 10_000;
/** Lifetime of an agent. The library makes one for each call, which costs a TLS handshake each. */
const agentMs = 300_000;

/** Connects by KUBECONFIG or as the pod's service account. Calls `onRequest` with the HTTP method of each call. */
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
  return {
    namespace: kubeConfig.getContextObject(kubeConfig.getCurrentContext())?.namespace ?? 'default',
    custom: new CustomObjectsApi(configuration),
    core: new CoreV1Api(configuration),
    coordination: new CoordinationV1Api(configuration),
    events: new EventsV1Api(configuration),
    watch: new Watch(kubeConfig),
  };
}
