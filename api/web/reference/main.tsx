import '../style/tokens.css';
import '../style/base.css';
import '../style/shared.css';
import { render } from 'preact';
import { createAppearance } from '../parts/appearance.ts';
import { Reference } from './reference.tsx';

// The reference uses the theme chosen on the page.
createAppearance();
const root = document.getElementById('app');
if (root !== null) render(<Reference />, root);
