import { expect } from 'vitest';
import { matchersAt } from './matchers.js';
import { placeOf } from './runner-state.js';

expect.extend(matchersAt(placeOf));
