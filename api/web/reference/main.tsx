import '../style/tokens.css';
import '../style/base.css';
import '../style/shared.css';
import { render } from 'preact';
import { createLooks } from '../parts/looks.ts';
import { Reference } from './reference.tsx';

// The reference uses the theme chosen on the page.
createLooks();
const root = document.getElementById('app');
if (root !== null) render(<Reference />, root);
