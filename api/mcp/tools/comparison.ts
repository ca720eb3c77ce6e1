import { tool } from '#api/mcp/tool.ts';
import { comparisonRequest, comparisonShape } from '#api/shapes/comparison.ts';
import { compareMails } from '#core/comparison/compare-mails.ts';

export const compareMail = tool({
  name: 'compare_mail',
  title: 'Compare two mails',
  description:
    'Compares two mails in normal form, each by its `message_id` or by its source in `raw`, and lists the changes. The order of header fields and attributes does not count, nor do the values of `mask` and the matches of `mask_patterns`, whose numbers are in `masked`. Stores nothing.',
  permission: 'read',
  input: comparisonRequest,
  inputIs: 'body',
  output: comparisonShape.schema,
  async run({ services, caller }, { mask: kinds, patterns, ...sides }) {
    const compared = await compareMails(services, caller, sides, { kinds, patterns });
    return { answer: comparisonShape.present(compared) };
  },
});
