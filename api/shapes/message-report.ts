import { reportActions, reportKinds } from '#core/messages/report.ts';
import { listOf, nullable, responseShape, text, word } from './response-shape.ts';

/** Report that a message is, or null. */
export const reportShape = nullable(
  responseShape('Report', {
    kind: word(...reportKinds).example('failed'),
    recipients: listOf(
      responseShape(null, {
        address: text().example('qa@app.test'),
        action: nullable(word(...reportActions)).example('failed'),
        status: nullable(text()).example('5.1.1'),
        diagnostic: nullable(text()).example('550 5.1.1 No such user'),
      }),
    ),
  }),
).description(
  'What it says of an earlier message, if it is a delivery status notification, a complaint or an automatic reply.',
);
