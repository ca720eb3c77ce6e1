import { serve } from '#setup/threads.ts';
import { schemasOf } from './json-schema.ts';
import { tools } from './tools/index.ts';

serve({ schemas: () => Object.fromEntries(tools.map((tool) => [tool.name, schemasOf(tool)])) });
