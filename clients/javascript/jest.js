import { expect } from '@jest/globals';
import { matchersAt } from './matchers.js';
import { placeOf } from './runner-state.js';

expect.extend(matchersAt(placeOf));
