import { route } from '#api/route.ts';
import { presentStorage, storageShape } from '#api/shapes/storage.ts';

const mostAccounts = 10;

export const storageRoutes = [
  route({
    method: 'get',
    path: '/api/storage',
    operationId: 'getStorage',
    summary: 'Whether mail is refused for want of room',
    tag: 'Service',
    access: 'identified',
    success: { description: 'What is full', shape: storageShape },
    async handle({ services, caller }) {
      const { isDiskFull } = await services.storeRoom();
      return presentStorage(isDiskFull, await services.accounts.listFull(caller.team, mostAccounts));
    },
  }),
];
