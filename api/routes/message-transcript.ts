import { route } from '#api/route.ts';
import { transcriptShape } from '#api/shapes/transcript.ts';
import { readMessage } from '#core/messages/read-message.ts';
import { transcriptOf } from '#core/messages/transcript.ts';

export const messageTranscriptRoute = route({
  method: 'get',
  path: '/api/messages/{message_id}/transcript',
  operationId: 'getTranscript',
  summary: 'Read the SMTP dialogue that brought a message',
  description:
    'Without credentials, content, and recipients that are not of the team. Empty for a message that did not come by SMTP.',
  success: { description: 'Commands and replies in their order', shape: transcriptShape },
  async handle({ services, reader, caller, ids }) {
    const { clock, retentionDays } = services;
    const ports = { messages: reader.messages, clock, retentionDays };
    return transcriptOf(await readMessage(ports, caller.team, ids.message_id), caller.team);
  },
});
