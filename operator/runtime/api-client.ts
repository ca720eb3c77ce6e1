import {
  ApiException,
  CoordinationV1Api,
  CoreV1Api,
  CustomObjectsApi,
  createConfiguration,
  EventsV1Api,
  HttpMethod,
  KubeConfig,
  PatchStrategy,
  type RequestContext,
  type ResponseContext,
  ServerConfiguration,
  setHeaderOptions,
  Watch,
} from '@kubernetes/client-node';

/** Reads API paths for which the library has no method. */
export type Reader = {
  get<T>(path: string): Promise<T>;
  /** Ends a watch with a TimeoutError after 30 s of silence, because the connection may be dead. */
  watch: Watch;
};

/** Parts of the Kubernetes API that an operator calls, and the namespace that it runs in. */
export type ApiClient = Reader & {
  namespace: string;
  custom: CustomObjectsApi;
  core: CoreV1Api;
  coordination: CoordinationV1Api;
  events: EventsV1Api;
  /** Requests only objects' metadata. The API server then sends nothing else. */
  metadata: Reader;
};

/** Options for two kinds of patches: a merge patch, and a server-side apply. */
export const merging = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);
export const applying = setHeaderOptions('Content-Type', PatchStrategy.ServerSideApply);

/** Media type of a response that contains only objects' metadata. */
const metadataOf = (kind: string) => `application/json;as=${kind};g=meta.k8s.io;v=v1`;

/** Kubeconfig whose watches request only metadata. The library offers no other way to set a watch's headers. */
class MetadataConfig extends KubeConfig {
  override async applySecurityAuthentication(context: RequestContext): Promise<void> {
    await super.applySecurityAuthentication(context);
    context.setHeaderParam('Accept', metadataOf('PartialObjectMetadata'));
  }
}

/** Time limit in ms for a call. The library sets no limit, so a call over a dead connection would never end. */
const requestMs = 10_000;
/** Lifetime of an agent in ms. The library would create an agent for each call, which costs a TLS handshake each time. */
const agentMs = 300_000;

/** Connects with KUBECONFIG, or else as the pod's service account. Calls `onRequest` with each call's HTTP method. */
export function connectToCluster(onRequest: (method: string) => void): ApiClient {
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromDefault();
  const cluster = kubeConfig.getCurrentCluster();
  if (cluster === null)
    throw new Error('no Kubernetes cluster is configured: set KUBECONFIG, or run in a pod');
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
  const readerOf = (accept: string, config: KubeConfig): Reader => ({
    async get(path) {
      const { baseServer, middleware, httpApi } = configuration;
      let request = baseServer.makeRequestContext(path, HttpMethod.GET);
      await kubeConfig.applySecurityAuthentication(request);
      request.setHeaderParam('Accept', accept);
      for (const one of middleware) request = await one.pre(request).toPromise();
      const { httpStatusCode, body, headers } = await httpApi.send(request).toPromise();
      const answer = await body.text();
      if (httpStatusCode !== 200) throw new ApiException(httpStatusCode, path, answer, headers);
      return JSON.parse(answer);
    },
    watch: new Watch(config),
  });
  const metadataConfig = new MetadataConfig();
  metadataConfig.loadFromDefault();
  return {
    namespace: kubeConfig.getContextObject(kubeConfig.getCurrentContext())?.namespace ?? 'default',
    custom: new CustomObjectsApi(configuration),
    core: new CoreV1Api(configuration),
    coordination: new CoordinationV1Api(configuration),
    events: new EventsV1Api(configuration),
    ...readerOf('application/json', kubeConfig),
    metadata: readerOf(metadataOf('PartialObjectMetadataList'), metadataConfig),
  };
}
