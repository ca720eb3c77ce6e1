import type { TranscriptLine } from '#core/messages/transcript.ts';
import { type AnswerShape, answerOf, listOf, text, type Wire, wholeNumber, word } from './response-shape.ts';

const lineShape = answerOf<TranscriptLine>()('TranscriptLine', {
  at_ms: wholeNumber().example(12).description('Milliseconds since the connection opened.'),
  from: word('client', 'server').example('client'),
  line: text().example('RCPT TO:<qa@app.test>'),
});

export const transcriptShape: AnswerShape<TranscriptLine[], Wire<typeof lineShape>[]> = {
  schema: listOf(lineShape.schema),
  present: (lines) => lines.map(lineShape.present),
};
