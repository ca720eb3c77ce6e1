import '../style/tokens.css';
import '../style/base.css';
import { render } from 'preact';
import { applyTheme } from '../parts/theme.ts';
import { Reference } from './reference.tsx';

applyTheme();
const root = document.getElementById('app');
if (root !== null) render(<Reference />, root);
