import { serve } from '#setup/threads.ts';
import { schemasOf } from './json-schema.ts';
import { tools } from './tools/index.ts';

serve({ make: () => Object.fromEntries(tools.map((tool) => [tool.name, schemasOf(tool)])) });
